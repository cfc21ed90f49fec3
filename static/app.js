'use strict';
/* Everything works without this file: it is what every page may need, table.js is the table's own. No function may need a
   secure context: at the table this is plain HTTP. */

const DEAF = 400;
const SHAKE = 8;
const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

const partOf = (node) => node?.dataset?.part;

/* Makes what is in one element like what is in another: what is the same stays, so that a slow phone draws only the rest. What
   comes in with a hop is put in afresh, or it would not hop. */
function liken(old, fresh) {
  let node = old.firstChild;
  for (let next = fresh.firstChild, later; next; next = later) {
    later = next.nextSibling;
    if (!node) {
      old.append(next);
      continue;
    }
    // The first of a row has gone, and the others moved up.
    if (partOf(next) && partOf(node) !== partOf(next) && partOf(node.nextSibling) === partOf(next)) {
      node = node.nextSibling;
      node.previousSibling.remove();
    }
    const after = node.nextSibling;
    if (!node.isEqualNode(next)) {
      if (next.nodeName !== node.nodeName || partOf(next) !== partOf(node) || (next.nodeType === 1 && next.classList.contains('new'))) node.replaceWith(next);
      else if (next.nodeType !== 1) node.data = next.data;
      else {
        for (const name of next.getAttributeNames()) {
          const value = next.getAttribute(name);
          if (node.getAttribute(name) !== value) node.setAttribute(name, value);
        }
        for (const name of node.getAttributeNames()) if (!next.hasAttribute(name)) node.removeAttribute(name);
        // A part within a part comes by itself, and is empty here.
        if (!partOf(next)) liken(node, next);
      }
    }
    node = after;
  }
  while (node) {
    const after = node.nextSibling;
    node.remove();
    node = after;
  }
}

/* A slow phone takes its time from the finger's leaving to the click. So a key is seen pressed from the first touch, not by
   `:active`, which comes with the click; and it enters as the finger leaves it, with no click to come. */
function feelFingers(form) {
  const seen = { capture: true, passive: true };
  let [down, key, entered] = [null, null, null];
  const release = (one = key) => one?.classList.remove('held');
  document.documentElement.dataset.fingers = '';
  document.addEventListener('pointerdown', (event) => {
    release();
    [down, key, entered] = [event, event.target.closest('.key,.win,.ck,.undo'), null];
    key?.classList.add('held');
  }, seen);
  document.addEventListener('pointercancel', () => { release(); down = null; }, seen);
  document.addEventListener('pointerup', (event) => {
    setTimeout(release, DEAF, key);
    const short = down?.isPrimary && event.timeStamp - down.timeStamp < DEAF && Math.hypot(event.x - down.x, event.y - down.y) < SHAKE;
    if (!short || event.button || !key?.contains(event.target) || !key.matches('button:not([formaction],[aria-disabled=true])') || key.form !== form) return;
    entered = key;
    form.requestSubmit(key);
  }, seen);
  document.addEventListener('touchend', (event) => { if (entered && event.cancelable) event.preventDefault(); }, { capture: true, passive: false });
  document.addEventListener('click', (event) => {
    if (event.detail && entered?.contains(event.target)) event.preventDefault();
    entered = null;
  }, { capture: true });
}

/* An entry's way to the server: a slow phone has the answer a few milliseconds sooner than by `fetch`, which brings it in parts. */
function post(url, fields, headers, patience) {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open('POST', url);
    call.timeout = patience;
    for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value);
    call.onload = () => resolve(call);
    call.onerror = call.ontimeout = call.onabort = reject;
    call.send(new URLSearchParams(fields));
  });
}

/* What a phone may lose when its storage is closed (private windows) or full is kept in memory. */
const memory = new Map();
const kept = {
  get(name) {
    if (memory.has(name)) return memory.get(name);
    try { return localStorage.getItem(name); } catch { return null; }
  },
  set(name, value) {
    memory.delete(name);
    try {
      if (value === null) localStorage.removeItem(name); else localStorage.setItem(name, value);
      return true;
    } catch {
      if (value !== null) memory.set(name, value);
      return false;
    }
  },
  read(name, otherwise) { try { return JSON.parse(this.get(name)) ?? otherwise; } catch { return otherwise; } },
};

/* The whole record of each table this phone sat at, so that it can be given back to a server that lost it. */
const MOST_COPIES = 20;
const LONGEST_COPY = 250000;
const copies = {
  path: (/^\/[tw]\/[\w-]{22,32}/.exec(location.pathname) || [''])[0],
  get(path) { return kept.read(`copy:${path}`, null); },
  keep(path, copy) {
    const text = JSON.stringify(copy);
    if (text.length > LONGEST_COPY) return;
    const order = kept.read('copies', []).filter((one) => one !== path);
    while (order.length >= MOST_COPIES) this.forget(order.shift());
    // Full: the tables left alone longest make room.
    while (!kept.set(`copy:${path}`, text) && order.length) this.forget(order.shift());
    kept.set('copies', JSON.stringify([...order, path]));
  },
  forget(path) {
    kept.set(`copy:${path}`, null);
    kept.set('copies', JSON.stringify(kept.read('copies', []).filter((one) => one !== path)));
  },
};

const clock = (at) => `${at.getHours()}:${String(at.getMinutes()).padStart(2, '0')}`;

/* Setup and other forms ------------------------------------------------------------------------------------------- */
function showWhen(form) {
  const shown = () => all('[data-when]', form).forEach((part) => {
    const [name, value] = part.dataset.when.split('=');
    part.hidden = !all(`[name="${name}"]`, form).some((field) => (field.type === 'radio' ? field.checked : true) && field.value === value);
  });
  form.addEventListener('change', shown);
  shown();
}

/* A row of selects becomes keys to be tapped in order. */
function tapInOrder(box) {
  const selects = all('select', box);
  const keys = all('[data-tap]', box);
  const draw = () => {
    const chosen = selects.map((select) => select.value).filter(Boolean);
    const left = [...chosen];
    keys.forEach((key) => {
      const at = left.indexOf(key.dataset.tap);
      if (at >= 0) left[at] = null;
      const full = chosen.length === selects.length;
      key.setAttribute('aria-pressed', String(at >= 0));
      key.classList.toggle('spare', full && at < 0);
      $('b', key).textContent = at >= 0 ? at + 1 : '';
    });
  };
  box.addEventListener('click', (event) => {
    const key = event.target.closest('[data-tap]');
    if (!key) return;
    const values = selects.map((select) => select.value).filter(Boolean);
    if (values.length === selects.length) values.length = 0;
    const at = key.getAttribute('aria-pressed') === 'true' ? values.indexOf(key.dataset.tap) : -1;
    if (at >= 0) values.splice(at, 1); else values.push(key.dataset.tap);
    selects.forEach((select, place) => { select.value = values[place] || ''; });
    draw();
  });
  box.classList.add('tapped');
  draw();
}

/* The table takes the setup's place in the history: Back from a running game must not lead into it. */
function replaceSetup(form) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (form.dataset.sent) return;
    form.dataset.sent = '1';
    try {
      const answer = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)), headers: { Accept: 'application/json' } });
      const told = await answer.json();
      if (told.url) { location.replace(told.url); return; }
    } catch { /* the plain way shows what is wrong */ }
    form.submit();
  });
}

/* Elsewhere a closed choice says why in the page's own status line. */
document.addEventListener('click', (event) => {
  const closed = event.target.closest('main [aria-disabled=true][data-why]');
  const place = $('main > [role=status]');
  if (closed && place) { place.classList.remove('vh'); place.textContent = closed.dataset.why; }
});
all('time[data-clock]').forEach((time) => { time.textContent = clock(new Date(time.dateTime)); });

/* Where a table is missing or older than this phone has seen it: what the phone holds, ready to be sent. */
function offerCopy(place) {
  const copy = copies.path && copies.get(copies.path);
  if (!copy) return;
  $('[data-what]', place).textContent = place.dataset.holds
    .replace('%n', copy.lines.length).replace('%t', clock(new Date(copy.at))).replace('%p', copy.head.players.join(' – '));
  $('[name=record]', place).value = JSON.stringify({ ...copy.head, entries: copy.lines });
  $('form', place).action = copies.path[1] === 't' ? `${copies.path}/give-back` : '/files';
  place.hidden = false;
  all('[data-empty]').forEach((other) => { other.hidden = true; });
}

all('[data-copy]').forEach(offerCopy);
document.addEventListener('click', (event) => { if (event.target.closest('a[data-forget]')) copies.forget(copies.path); });
/* Back may show a page as it was left, its only button used up. */
addEventListener('pageshow', () => all('form[data-sent]').forEach((form) => { delete form.dataset.sent; }));
all('form[data-setup]').forEach((form) => { showWhen(form); replaceSetup(form); });
all('[data-order]').forEach(tapInOrder);
all('form[data-now]').forEach((form) => {
  all('.plain', form).forEach((button) => { button.hidden = true; });
  form.addEventListener('change', () => form.requestSubmit());
});
if (isSecureContext && navigator.serviceWorker) setTimeout(() => navigator.serviceWorker.register('/sw.js').catch(() => {}), 9000);
