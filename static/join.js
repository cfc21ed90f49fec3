'use strict';
/* Copies and shares the address of a table. Only https pages may do either by the new ways; copying has an older one. */
for (const box of document.querySelectorAll('[data-address]')) {
  const field = box.querySelector('input');
  const [copy, share] = box.querySelectorAll('button');
  const say = (text) => {
    const place = document.querySelector('main > [role=status]');
    place.classList.remove('vh');
    place.textContent = text;
  };
  copy.hidden = false;
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      say(box.dataset.copied);
    } catch {
      field.focus();
      field.setSelectionRange(0, field.value.length);
      say(document.execCommand('copy') ? box.dataset.copied : box.dataset.marked);
    }
  });
  share.hidden = !navigator.share;
  share.addEventListener('click', () => navigator.share({ title: document.title, url: field.value }).catch(() => {}));
}
