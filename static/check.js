'use strict';
/* Everything on the checker's pages is a link to another position. With this file the page stays, only its parts change, and
   the history keeps one entry: Back leads to where the check was opened. */

const DEAF_KEY = 400;
const PARTS = ['top', 'board', 'says', 'keys'];
const waiting = [];
let asking = false;
let last = { key: '', at: 0, x: -99, y: -99 };

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
  asking = true;
  document.body.classList.add('busy');
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
  asking = false;
  const next = waiting.length && document.querySelector(`[data-key="${waiting.shift()}"]`);
  if (next) follow(next.href); else waiting.length = 0;
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const to = new URL(link.href, location);
  if (to.origin !== location.origin || to.pathname !== location.pathname || to.hash) return;
  event.preventDefault();
  const key = link.dataset.key || to.search;
  const { clientX: x, clientY: y } = event;
  const near = event.detail && Math.hypot(x - last.x, y - last.y) < 24;
  /* A finger that shakes taps once, whatever lies under it by then. */
  if (Date.now() - last.at < DEAF_KEY && (key === last.key || near)) return;
  last = { key, at: Date.now(), x, y };
  /* A card that is tapped before the last answer came is laid once it has come. */
  if (asking) waiting.push(key); else follow(to.pathname + to.search);
});
