'use strict';
/* Rules are looked for as one types. The server finds them; the page only takes over what it found. */

const field = document.querySelector('.search input');
let asked = 0;

async function look() {
  const mine = ++asked;
  const url = new URL(location.pathname, location);
  if (field.value.trim()) url.searchParams.set('q', field.value);
  try {
    const answer = await fetch(url, { cache: 'no-store', credentials: 'same-origin' });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (mine !== asked || !answer.ok) return;
    for (const part of ['[data-found]', '.rules nav.seg']) document.querySelector(part).innerHTML = page.querySelector(part).innerHTML;
    history.replaceState(history.state, '', url);
  } catch { /* No answer: the form itself still goes there. */ }
}

let soon = 0;
field.addEventListener('input', () => { clearTimeout(soon); soon = setTimeout(look, 150); });
/* What was typed before this file was there, or stands in a page that came back. */
if (field.value !== field.defaultValue) look();
