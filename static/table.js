'use strict';
/* The table: entries go out without leaving the page, other phones' entries come in by themselves, what cannot be sent waits,
   and the phone keeps the whole record. */

const QUICK = 800;
const SLOW = 3000;
/* So long after the last news phones ask quickly: a trick takes its time. */
const LIVELY = 120000;
/* QUICK or SLOW and this together are less than the 5 s after which a lost connection must be seen. */
const SILENT = 1500;
/* An answer that takes longer than this will not come. */
const PATIENCE = 4500;
/* An answer that takes longer than this is seen to be waited for. */
const QUIET = 100;
/* A piece within a piece within a part. */
const DEEPEST = 2;
/* What an answer has beside the parts of the form. */
const OF_THE_PAGE = ['title', 'kind'];
/* Without a connection for so long, the record is offered as a file. */
const LONG = 30000;

const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
/* A mark is "version.edition.…": what it orders by. */
const order = (tag) => tag.replace('"', '').split('.').slice(0, 2).map(Number);

class Table {
  constructor(form) {
    this.form = form;
    this.live = form.dataset.live;
    this.tag = form.dataset.tag;
    this.version = Number(form.dataset.version);
    this.watching = 'watch' in form.dataset;
    // The pieces that come have no blanks around them: with them here, the first would seem all new.
    for (const part of all('[data-part]', form)) {
      for (const edge of [part.firstChild, part.lastChild]) if (edge?.nodeType === 3 && !edge.data.trim()) edge.remove();
    }
    this.parts = { past: $('[data-part=past]', form).innerHTML };
    this.box = `outbox:${form.dataset.table}`;
    for (const was of form.dataset.was?.split(' ') ?? []) this.bring(`outbox:${was}`);
    this.copy = copies.get(copies.path);
    this.sending = false;
    this.swaps = 0;
    /* What waits needs an answer of the player first. */
    this.stopped = false;
    /* The version behind which this phone has said what was laid, and waits for another to say it too. */
    this.claimed = -1;
    this.leaving = false;
    this.heard = Date.now();
    this.news = Date.now();
    this.wait = QUICK;
    this.last = { at: 0, x: -99, y: -99, what: '' };
    /* What was tapped, while it is deaf and not yet answered. */
    this.sent = null;
    /* What is meant is what lay there as the finger went down: news may come in below it. */
    this.press = { at: 0, expected: 0 };
    this.timer = 0;
    form.addEventListener('submit', (event) => this.submit(event));
    for (const name of ['pointerdown', 'keydown']) {
      document.addEventListener(name, () => { this.press = { at: Date.now(), expected: this.expected() }; }, { capture: true, passive: true });
    }
    document.addEventListener('pointerup', (event) => { this.finger = event; }, { capture: true, passive: true });
    feelFingers(form);
    document.addEventListener('click', (event) => this.click(event));
    for (const name of ['online', 'pageshow']) addEventListener(name, () => this.wake());
    addEventListener('offline', () => this.lost());
    document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') this.wake(); });
    addEventListener('beforeunload', (event) => { if (this.queue().length && !this.leaving) event.preventDefault(); });
    if (!this.watching) this.guardBack();
    this.mark();
  }

  queue() { return kept.read(this.box, []); }

  expected() { return this.version + this.queue().length; }

  store(queue) { return kept.set(this.box, queue.length ? JSON.stringify(queue) : null); }

  /* What a closed phone kept for the table under an address that it has no more. */
  bring(box) {
    const queue = kept.read(box, []);
    if (queue.length && this.store([...queue, ...this.queue()])) kept.set(box, null);
  }

  wake() {
    this.lively();
    this.stayAwake();
    this.flush();
    this.poll();
  }

  lively() {
    this.news = Date.now();
    this.wait = QUICK;
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
      if (this.stopped && link.closest('.sheet')) this.letGo();
      this.swap(link.href);
    }
  }

  /* The player lets what waits go: the one way in which an entry that was made is not entered. */
  letGo() {
    this.stopped = false;
    this.store([]);
  }

  /* Another way of entering, or a step of a choice: same page, same place in the history. */
  async swap(href) {
    const to = new URL(href, location);
    const mine = ++this.swaps;
    try {
      const answer = await this.ask(this.live + to.search);
      const body = await answer.json();
      if (mine !== this.swaps) return;
      history.replaceState(history.state, '', to.pathname + to.search);
      this.show(body, true);
      document.body.dataset.pick = to.searchParams.get('pick') || '';
    } catch { this.lost(); }
  }

  submit(event) {
    const button = event.submitter;
    if (button?.hasAttribute('formaction')) return;
    event.preventDefault();
    if (!button || button.getAttribute('aria-disabled') === 'true' || this.sent?.contains(button)) return;
    if (this.stopped) { this.answered(button); return; }
    const now = Date.now();
    const { clientX: x = -99, clientY: y = -99 } = this.finger || {};
    const near = Math.hypot(x - this.last.x, y - this.last.y) < 44;
    const what = button.name + button.value;
    if (now - this.last.at < DEAF && (near || what === this.last.what)) return;
    this.last = { at: now, x, y, what };
    const meant = now - this.press.at < LONG ? this.press.expected : Infinity;
    this.press.at = 0;
    // A key of a card pad says only its card.
    const turn = button.name === 'card' ? [['turn', $('[name=turn]', this.form).value]] : [];
    const fields = [...turn, [button.name, button.value]];
    const queue = this.queue();
    queue.push({
      key: newKey(),
      expected: Math.min(meant, this.expected()),
      fields,
      label: ((button.name !== 'undo' && button.getAttribute('aria-label')) || ($('b', button) || button).textContent).trim().replace(/\s+/g, ' '),
      seat: (/"seat":(\d)/.exec(fields.join()) || [])[1],
    });
    this.store(queue);
    this.flush();
    this.deafen(button.closest('.wins') || button);
    this.lively();
  }

  /* The question about what waits: entered behind what is there now, under its old keys, or left to be answered. */
  answered(button) {
    if (!button.hasAttribute('data-again')) { $('.sheet', this.form)?.focus(); return; }
    this.store(this.queue().map((entry, place) => ({ ...entry, expected: this.version + place })));
    this.stopped = false;
    this.flush();
  }

  /* Deaf at once; seen so with the answer, or when that takes a while: a slow phone has a frame less to draw before it. */
  deafen(group) {
    this.sent = group;
    this.form.dataset.deaf = '';
    clearTimeout(this.deafness);
    setTimeout(() => { if (this.sent === group) document.body.classList.add('busy'); }, QUIET);
    this.deafness = setTimeout(() => {
      this.sent = null;
      delete this.form.dataset.deaf;
      document.body.classList.remove('busy');
      this.mark();
    }, DEAF);
  }

  async flush() {
    if (this.sending || this.watching || this.stopped) return;
    this.sending = true;
    try {
      for (let queue = this.queue(); queue.length; queue = this.queue()) {
        // Behind what two phones have to agree on.
        if (this.claimed === this.version && queue[0].expected > this.version) break;
        if (!await this.send(queue[0], queue.length - 1)) break;
      }
    } catch (error) {
      this.waiting();
      // A fault of this file's, not of the connection.
      if (error instanceof TypeError) throw error;
    } finally {
      this.sending = false;
    }
  }

  /* Sends one entry; true when the next may follow. Whatever cannot be answered now stays in the queue. */
  async send(entry, behind, again = false) {
    const token = $('[name=csrf_token]', this.form);
    const seen = this.version;
    const sent = [['csrf_token', token.value], ['key', entry.key], ['expected', entry.expected], ['behind', behind], ...entry.fields];
    const answer = await this.patient(() => post(this.form.action, sent, this.headers(), PATIENCE));
    if (answer.status >= 500 || answer.status === 429) throw new Error('later');
    const ok = answer.status < 300;
    const told = JSON.parse(answer.responseText);
    if (told.csrf) {
      // A server with another key.
      if (again) throw new Error('later');
      token.value = told.csrf;
      return this.send(entry, behind, true);
    }
    if (!told.parts) { this.gone(answer.status); return false; }
    if (told.version < seen) { this.older(told); return false; }
    // Refused by the rules, it is said so and gone; a clash with another phone is for the player to settle.
    const settled = ok || answer.status === 400 || answer.status === 422 || entry.fields[0][0] === 'undo';
    const rest = settled ? this.queue().filter((other) => other.key !== entry.key) : this.queue();
    this.store(rest);
    this.stopped = !ok && rest.length > 0;
    if (answer.status === 202) this.claimed = told.version;
    // What was being picked is entered: a reload must not ask for it again.
    if (ok && location.search) history.replaceState(history.state, '', location.pathname);
    this.show(told, true);
    this.lively();
    this.next();
    return ok;
  }

  headers() {
    const have = this.copy ? `${this.copy.lines.length}:${this.copy.lines.at(-1)?.id ?? ''}` : '';
    return { Accept: 'application/json', 'X-Have': have };
  }

  ask(url, headers = {}) {
    const limit = new AbortController();
    const stop = setTimeout(() => limit.abort(), PATIENCE);
    const asked = { credentials: 'same-origin', cache: 'no-store', signal: limit.signal, headers: { ...this.headers(), ...headers } };
    return this.patient(() => fetch(url, asked)).finally(() => clearTimeout(stop));
  }

  /* Waits for an answer; when it takes long, the page says that there is none. */
  async patient(asking) {
    const silent = setTimeout(() => this.lost(), SILENT);
    try {
      const answer = await asking();
      if (answer.status < 500) this.found();
      return answer;
    } finally {
      clearTimeout(silent);
    }
  }

  async poll() {
    clearTimeout(this.timer);
    if (document.visibilityState !== 'visible') return;
    const seen = this.version;
    const { swaps } = this;
    try {
      // A phone that holds less than is on the screen asks for everything.
      const headers = this.copy?.lines.length === this.version ? { 'If-None-Match': this.tag } : {};
      const answer = await this.ask(this.live, headers);
      if (answer.status === 200) {
        const told = await answer.json();
        if (told.version < seen) { this.older(told); return; }
        // Asked before the player asked for another view, it has the one before.
        if (swaps === this.swaps) {
          if (told.tag !== this.tag) this.lively();
          this.take(told);
        }
      } else if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
        this.gone(answer.status);
        return;
      }
      if (this.queue().length) this.flush();
    } catch { this.lost(); }
    this.next();
  }

  next() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.poll(), this.wait);
    if (Date.now() - this.news > LIVELY) this.wait = Math.min(this.wait * 1.15, SLOW);
  }

  /* News while a question is open: the question is asked anew once it is about another table. */
  take(told) {
    if (!this.stopped) { this.show(told); return; }
    this.hold(told);
    if (told.version > this.version) {
      this.stopped = false;
      this.flush();
    }
  }

  /* Keeps the record up to date; `apart`: the table took another way than the one this phone has seen. */
  hold(told) {
    if (!told.log) return;
    if (told.log.apart) {
      if (!this.watching) this.leave(`${copies.path}/give-back`);
      this.copy = null;
      return;
    }
    const lines = told.log.head ? [] : this.copy?.lines ?? [];
    if (told.log.after !== lines.length) return;
    this.copy = { at: Date.now(), head: told.log.head ?? this.copy.head, lines: [...lines, ...told.log.lines] };
    // Once the new table is on the screen: a long record takes a slow phone a while to write.
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => { if (this.copy) copies.keep(copies.path, this.copy); }, QUIET);
  }

  /* The table is an older one than this phone has seen. If the phone can, it offers to give back what is missing. */
  older(told) {
    if (!this.watching && this.copy?.lines.length > told.version) { this.leave(`${copies.path}/give-back`); return; }
    copies.forget(copies.path);
    this.copy = null;
    this.version = -1;
    this.show(told, true);
    this.say(this.form.dataset.sayOlder);
    this.next();
  }

  gone(status) { this.leave(status !== 404 || this.watching || !this.copy ? location.href : `${copies.path}/give-back`); }

  leave(href) {
    this.leaving = true;
    if (href === location.href) location.reload(); else location.assign(href);
  }

  /* Puts the pieces in place. Never an older table than the one on the screen. */
  show(told, asked = false) {
    this.hold(told);
    const [version, edition] = order(told.tag);
    if (version < this.version || (version === this.version && edition < order(this.tag)[1])) return;
    if (!asked && told.tag === this.tag) return;
    const focused = document.activeElement;
    const back = focused && this.form.contains(focused) ? [focused.name, focused.value, focused.getAttribute('href')] : null;
    this.fill(told.parts);
    document.title = told.parts.title;
    this.sent = null;
    const kind = 'deaf' in this.form.dataset ? `${told.parts.kind} busy` : told.parts.kind;
    if (document.body.className !== kind) document.body.className = kind;
    this.version = told.version;
    this.tag = told.tag;
    $('[name=expected]', this.form).value = told.version;
    this.mark();
    const sheet = $('.sheet', this.form);
    if (sheet) { sheet.focus({ preventScroll: true }); return; }
    if (back && this.same(document.activeElement, back)) return;
    if (back) this.refocus(back);
  }

  /* Reads what changed in one go: each reading costs a slow phone some milliseconds. */
  fill(parts) {
    const changed = Object.keys(parts).filter((name) => parts[name] !== this.parts[name] && !OF_THE_PAGE.includes(name));
    this.parts = parts;
    this.put(changed);
    // What has not changed may have got another place, and so may what is within it.
    for (let depth = 0; depth < DEEPEST; depth += 1) {
      this.put(all('[data-part]:empty', this.form).map((place) => place.dataset.part).filter((name) => parts[name]));
    }
  }

  put(names) {
    if (!names.length) return;
    const fresh = document.createElement('template');
    fresh.innerHTML = names.map((name) => (name.startsWith('svg-') ? `<svg>${this.parts[name]}</svg>` : `<div>${this.parts[name]}</div>`)).join('');
    [...fresh.content.children].forEach((piece, at) => {
      const [first, ...others] = all(`[data-part=${names[at]}]`, this.form);
      for (const place of others) liken(place, piece.cloneNode(true));
      if (first) liken(first, piece);
    });
  }

  same(one, [name, value, href]) { return one.name === name && one.value === value && one.getAttribute('href') === href; }

  refocus(back) {
    const same = all('button,a', this.form).find((one) => this.same(one, back));
    (same || $('main button', this.form))?.focus({ preventScroll: true });
  }

  /* The voice line is the one live region of the page; on a phone that lies flat each half shows it too. */
  say(text, rule) {
    const place = $('[data-part=says]', this.form);
    place.innerHTML = '<p class="says fx"><span></span></p>';
    $('span', place).textContent = text;
    if (rule) {
      const link = document.createElement('a');
      link.href = `/rules/${rule.replace('/', '#')}`;
      link.className = 'cite';
      link.textContent = this.form.dataset.sayRule;
      $('span', place).append(' ', link);
    }
    this.parts.says = '';
    all('.heard', this.form).forEach((half) => { half.textContent = text; this.parts.main = ''; });
  }

  /* What waits stands in the strip, before the trick that is asked for. */
  mark() {
    const strip = $('[data-part=past] ul', this.form);
    const queue = this.queue();
    if (!strip || (!queue.length && !$('.late', strip))) return;
    $('[data-part=past]', this.form).innerHTML = this.parts.past;
    this.fill(this.parts);
    const list = $('[data-part=past] ul', this.form);
    const now = $('.now', list)?.closest('li') ?? null;
    queue.slice(0, 3).forEach((entry, place) => {
      const chip = $('#late').content.cloneNode(true);
      const more = queue.length > 3 && place === 2;
      const sign = more ? document.createElement('b') : $(entry.seat ? `.side.${'abc'[entry.seat]} .tok` : '.undo .ic', this.form)?.cloneNode(true);
      if (more) sign.textContent = `+${queue.length - 2}`;
      if (sign) $('.chip', chip).insertBefore(sign, $('[data-waits]', chip));
      $('.vh', chip).textContent = `${entry.label}, `;
      list.insertBefore(chip, now);
    });
    while (list.children.length > 7) (all('.soon', list).at(-1)?.closest('li') ?? list.children[1]).remove();
  }

  waiting() {
    const queue = this.queue();
    this.lost();
    this.mark();
    if (queue.length) this.say(`${queue.length} ${this.form.dataset.sayWaiting} ${queue.map((entry) => entry.label).join(' · ')}`);
  }

  found() {
    this.heard = Date.now();
    const sign = $('#lost');
    if (sign && !sign.hidden) sign.hidden = true;
  }

  lost() {
    const sign = $('#lost');
    if (!sign) return;
    sign.textContent = this.form.dataset.sayLost.replace('%', clock(new Date(this.heard)));
    sign.hidden = false;
    if (this.copy && Date.now() - this.heard > LONG) this.offerFile(sign);
  }

  /* The server may be gone for good: what this phone holds can be taken to another one. */
  offerFile(sign) {
    const link = document.createElement('a');
    URL.revokeObjectURL(this.file);
    const record = { ...this.copy.head, entries: this.copy.lines };
    this.file = link.href = URL.createObjectURL(new Blob([JSON.stringify(record)], { type: 'application/json' }));
    link.download = `${record.game}.json`;
    link.textContent = this.form.dataset.saySave;
    sign.append(' ', link);
  }
}

new Table($('#enter'));
