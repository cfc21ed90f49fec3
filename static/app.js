'use strict';
/* Everything works without this file. With it entries go out without leaving the page, other phones' entries come in by
   themselves, and what cannot be sent waits. No function here may need a secure context: at the table this is plain HTTP. */

const DEAF = 400;
const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/* What a phone may lose when its storage is closed (private windows) is kept in memory instead. */
const memory = new Map();
const kept = {
  get(name) { try { return localStorage.getItem(name); } catch { return memory.get(name) ?? null; } },
  set(name, value) { memory.set(name, value); try { localStorage.setItem(name, value); } catch { /* memory has it */ } },
};

/* The table ------------------------------------------------------------------------------------------------------ */
class Table {
  constructor(form) {
    this.form = form;
    this.live = form.dataset.live;
    this.tag = form.dataset.tag;
    this.version = Number(form.dataset.version);
    this.watching = 'watch' in form.dataset;
    this.parts = {};
    this.box = `outbox:${form.dataset.table}`;
    this.sending = false;
    this.heard = Date.now();
    this.wait = 1000;
    this.last = { at: 0, x: -99, y: -99, what: '' };
    this.timer = 0;
    form.addEventListener('submit', (event) => this.submit(event));
    document.addEventListener('pointerup', (event) => { this.finger = event; }, { capture: true, passive: true });
    document.addEventListener('click', (event) => this.click(event));
    for (const name of ['online', 'pageshow']) addEventListener(name, () => this.wake());
    document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') this.wake(); });
    addEventListener('beforeunload', (event) => { if (this.queue().length) event.preventDefault(); });
    if (!this.watching) this.guardBack();
    this.wake();
  }

  queue() { try { return JSON.parse(kept.get(this.box) || '[]'); } catch { return []; } }

  store(queue) { kept.set(this.box, JSON.stringify(queue)); }

  wake() {
    this.wait = 1000;
    this.stayAwake();
    this.flush();
    this.poll();
  }

  /* Only https pages may keep the screen on; elsewhere waking up has to be instant instead. */
  async stayAwake() {
    if (!navigator.wakeLock || document.visibilityState !== 'visible' || document.body.classList.contains('over')) return;
    try { await navigator.wakeLock.request('screen'); } catch { /* the phone says no */ }
  }

  /* A swipe from the edge must not leave a running game: the first Back is caught, a second one goes. */
  guardBack() {
    const hold = () => history.pushState({ held: true }, '');
    if (!history.state?.held) hold();
    addEventListener('popstate', () => {
      if (document.body.classList.contains('over') || Date.now() - (this.backAt || 0) < 3000) { history.back(); return; }
      this.backAt = Date.now();
      hold();
      this.say(this.form.dataset.sayBack);
    });
  }

  click(event) {
    const closed = event.target.closest('[aria-disabled=true]');
    if (closed && closed.dataset.why) {
      event.preventDefault();
      this.say(closed.dataset.why, closed.dataset.rule);
      return;
    }
    const link = event.target.closest('a[data-swap]');
    if (link && this.form.contains(link)) {
      event.preventDefault();
      this.swap(link.href);
    }
  }

  /* Another way of entering, or a step of a choice: same page, same place in the history. */
  async swap(href) {
    const to = new URL(href, location);
    try {
      const answer = await this.ask(this.live + to.search);
      const body = await answer.json();
      history.replaceState(history.state, '', to.pathname + to.search);
      this.show(body, true);
      document.body.dataset.pick = to.searchParams.get('pick') || '';
    } catch { this.lost(); }
  }

  submit(event) {
    const button = event.submitter;
    if (button?.hasAttribute('formaction')) return;
    event.preventDefault();
    if (!button || button.getAttribute('aria-disabled') === 'true') return;
    const now = Date.now();
    const { clientX: x = -99, clientY: y = -99 } = this.finger || {};
    const near = Math.hypot(x - this.last.x, y - this.last.y) < 44;
    const what = button.name + button.value;
    if (now - this.last.at < DEAF && (near || what === this.last.what)) return;
    this.last = { at: now, x, y, what };
    this.dim(button);
    const fields = all('input[type=hidden]', this.form).filter((field) => field.name === 'entry').map((field) => ['entry', field.value]);
    const queue = this.queue();
    queue.push({
      key: newKey(),
      expected: this.version + queue.length,
      fields: [...fields, [button.name, button.value]],
      label: (button.getAttribute('aria-label') || button.textContent).trim().replace(/\s+/g, ' '),
    });
    this.store(queue);
    this.flush();
  }

  dim(button) {
    const group = button.closest('.wins') || button;
    group.classList.add('sent');
    document.body.classList.add('busy');
    setTimeout(() => { group.classList.remove('sent'); document.body.classList.remove('busy'); }, DEAF);
  }

  async flush() {
    if (this.sending || this.watching) return;
    this.sending = true;
    try {
      for (let queue = this.queue(); queue.length; queue = this.queue()) {
        if (!await this.send(queue[0])) break;
      }
    } catch {
      this.waiting();
    } finally {
      this.sending = false;
    }
  }

  /* Sends one entry; true when the next may follow. Whatever cannot be answered now stays in the queue. */
  async send(entry, again = false) {
    const token = $('[name=csrf_token]', this.form);
    const body = new URLSearchParams([['csrf_token', token.value], ['key', entry.key], ['expected', entry.expected], ...entry.fields]);
    const answer = await this.ask(this.form.action, { method: 'POST', body, keepalive: true });
    if (answer.status >= 500 || answer.status === 429) throw new Error('later');
    const told = await answer.json();
    if (told.csrf && !again) {
      token.value = told.csrf;
      return this.send(entry, true);
    }
    const rest = this.queue().filter((other) => other.key !== entry.key);
    this.store(answer.ok ? rest : []);
    // What was being picked is entered: a reload must not ask for it again.
    if (answer.ok && location.search) history.replaceState(history.state, '', location.pathname);
    if (told.parts) this.show(told, true);
    if (!answer.ok && rest.length) this.alsoLost(rest);
    this.wait = 1000;
    this.next();
    return answer.ok;
  }

  /* Entries that waited behind a refused one were made for another table than there is now. */
  alsoLost(rest) {
    const list = $('.sheet dl');
    if (list) list.insertAdjacentHTML('beforeend', '<div><dt></dt><dd></dd></div>');
    if (list) $('div:last-child dd', list).textContent = rest.map((entry) => entry.label).join(' · ');
  }

  async ask(url, options = {}) {
    const limit = new AbortController();
    const stop = setTimeout(() => limit.abort(), 4500);
    try {
      const answer = await fetch(url, {
        credentials: 'same-origin', cache: 'no-store', signal: limit.signal, ...options,
        headers: { Accept: 'application/json', ...options.headers },
      });
      if (answer.status < 500) this.found();
      return answer;
    } finally { clearTimeout(stop); }
  }

  async poll() {
    clearTimeout(this.timer);
    if (document.visibilityState !== 'visible') return;
    try {
      const by = new URLSearchParams(location.search).get('by');
      const answer = await this.ask(this.live + (by ? `?by=${by}` : ''), { headers: { 'If-None-Match': this.tag } });
      if (answer.status === 200) {
        this.show(await answer.json());
        this.wait = 1000;
      } else if (answer.status === 404 || answer.status === 410) {
        location.reload();
      }
      if (this.queue().length) this.flush();
    } catch { this.lost(); }
    this.next();
  }

  next() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.poll(), this.wait);
    this.wait = Math.min(this.wait * 1.15, 4000);
  }

  /* Puts the pieces in place. Never an older table than the one on the screen. */
  show(told, asked = false) {
    if (told.version < this.version || (!asked && told.tag === this.tag)) return;
    const focused = document.activeElement;
    const back = focused && this.form.contains(focused) ? [focused.name, focused.value, focused.getAttribute('href')] : null;
    for (const [name, html] of Object.entries(told.parts)) {
      const place = $(`[data-part=${name}]`, this.form);
      if (place && this.parts[name] !== html) place.innerHTML = html;
      this.parts[name] = html;
    }
    document.title = told.parts.title;
    // Deaf until the moment is over, also when the answer was quicker.
    const busy = document.body.classList.contains('busy');
    document.body.className = told.parts.kind;
    document.body.classList.toggle('busy', busy);
    this.version = told.version;
    this.tag = told.tag;
    $('[name=expected]', this.form).value = told.version;
    const sheet = $('.sheet', this.form);
    if (sheet) { sheet.focus({ preventScroll: true }); return; }
    if (back && !this.form.contains(document.activeElement)) this.refocus(back);
    if (this.queue().length) this.waiting();
  }

  refocus([name, value, href]) {
    const same = all('button,a', this.form).find((one) => one.name === name && one.value === value && one.getAttribute('href') === href);
    (same || $('main button', this.form))?.focus({ preventScroll: true });
  }

  /* The voice line is the one live region of the page. */
  say(text, rule) {
    const place = $('[data-part=says]', this.form);
    place.innerHTML = '<p class="says fx"><span></span></p>';
    $('span', place).textContent = text;
    // On a phone that lies flat each half shows it too.
    all('.heard', this.form).forEach((half) => { half.textContent = text; this.parts.main = ''; });
    if (rule) {
      const link = document.createElement('a');
      link.href = `/rules/${rule.replace('/', '#')}`;
      link.className = 'cite';
      link.textContent = this.form.dataset.sayRule;
      $('span', place).append(' ', link);
    }
    this.parts.says = '';
  }

  waiting() {
    const queue = this.queue();
    this.lost();
    if (queue.length) this.say(`${queue.length} ${this.form.dataset.sayWaiting} ${queue.map((entry) => entry.label).join(' · ')}`);
  }

  found() {
    this.heard = Date.now();
    const sign = $('#lost');
    if (sign) sign.hidden = true;
  }

  lost() {
    const sign = $('#lost');
    if (!sign) return;
    const at = new Date(this.heard);
    sign.textContent = this.form.dataset.sayLost.replace('%', `${at.getHours()}:${String(at.getMinutes()).padStart(2, '0')}`);
    sign.hidden = false;
  }
}

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
all('time[data-clock]').forEach((time) => {
  const at = new Date(time.dateTime);
  time.textContent = `${at.getHours()}:${String(at.getMinutes()).padStart(2, '0')}`;
});

const table = $('#enter');
if (table) new Table(table);
all('form[data-setup]').forEach((form) => { showWhen(form); replaceSetup(form); });
all('[data-order]').forEach(tapInOrder);
all('form[data-now]').forEach((form) => {
  all('.plain', form).forEach((button) => { button.hidden = true; });
  form.addEventListener('change', () => form.requestSubmit());
});
if (isSecureContext && navigator.serviceWorker) setTimeout(() => navigator.serviceWorker.register('/sw.js').catch(() => {}), 9000);
