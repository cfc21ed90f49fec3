'use strict';
/* Everything on the checker's pages is a link to another position. With this file the page stays, only its parts change, and
   the history keeps one entry: Back leads to where the check was opened. */

const DEAF_KEY = 400;
const PARTS = ['top', 'board', 'says', 'keys'];
let under = null;
let waiting = null;
let last = { key: '', at: 0 };

const part = (name) => (name === 'top' ? document.querySelector('.top') : document.querySelector(`[data-part=${name}]`));

function show(told) {
  const focused = document.activeElement?.dataset?.key;
  for (const name of PARTS) {
    const place = part(name);
    if (place.innerHTML !== told[name]) place.innerHTML = told[name];
  }
  document.title = told.title;
  document.body.className = told.kind;
  if (focused && !document.activeElement?.dataset?.key) {
    const same = document.querySelector(`[data-key="${focused}"]`) || document.querySelector('[data-part=keys] a') || document.querySelector('main a');
    same?.focus({ preventScroll: true });
  }
}

async function follow(url) {
  under = url;
  try {
    const answer = await fetch(url, { headers: { Accept: 'application/json' }, cache: 'no-store', credentials: 'same-origin' });
    if (!answer.ok) throw new Error('later');
    const told = await answer.json();
    history.replaceState(history.state, '', url);
    show(told);
  } catch {
    location.href = url;
    return;
  }
  under = null;
  const next = waiting && document.querySelector(`[data-key="${waiting}"]`);
  waiting = null;
  if (next) follow(next.href);
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const to = new URL(link.href, location);
  if (to.origin !== location.origin || to.pathname !== location.pathname || to.hash) return;
  event.preventDefault();
  const key = link.dataset.key || to.search;
  const now = Date.now();
  /* The same key twice is a finger that shakes; a key that was tapped while the last answer was still under way waits for it. */
  if (key === last.key && now - last.at < DEAF_KEY) return;
  if (now - last.at < DEAF_KEY && !link.closest('.pad,.tops,.order')) return;
  last = { key, at: now };
  if (under) { waiting = key; return; }
  follow(to.pathname + to.search);
});
