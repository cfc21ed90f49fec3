/* Shows a page of ours where the browser would show one of its own, and does nothing else: nothing old is ever served.
   CACHE and FILES stand before this, and change with every release (companion/web/offline.py). */
addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => skipWaiting()));
});
addEventListener('activate', (event) => {
  const drop = (names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(drop).then(() => clients.claim()));
});
addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  const { pathname, search } = new URL(request.url);
  const wanted = request.mode === 'navigate' ? '/offline' : pathname + search;
  if (FILES.includes(wanted)) event.respondWith(fetch(request).catch(() => caches.match(wanted, { ignoreVary: true })));
});
