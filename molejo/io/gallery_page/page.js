addEventListener('error', (e) => { document.body.dataset.error = e.message; });

// What is seen plays.
const players = new Map();
for (const canvas of document.querySelectorAll('.card canvas')) {
  const card = canvas.closest('.card');
  players.set(card, new Player(card));
}
const observer = new IntersectionObserver((entries) => {
  for (const e of entries) players.get(e.target).set_visible(e.isIntersecting);
}, { rootMargin: '60px' });
for (const card of players.keys()) observer.observe(card);
let last = null;
function tick(now) {
  const seconds = last === null ? 0 : Math.min(0.1, (now - last) / 1000);
  last = now;
  for (const player of players.values()) player.advance(seconds);
  requestAnimationFrame(tick);
}
requestAnimationFrame(tick);

// light and dark
function follow_theme() {
  set_theme();
  for (const player of players.values()) player.redraw();
}
dark_system.addEventListener('change', follow_theme);
document.getElementById('theme').onclick = () => {
  const other = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  try { localStorage.setItem('molejo-theme', other); } catch { /* then only until the page is left */ }
  document.documentElement.dataset.theme = other;
  for (const player of players.values()) player.redraw();
};

// search: every word must be in the title, kind, file or description
const search = document.getElementById('search'), nothing = document.getElementById('nothing');
function apply_search() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const card of document.querySelectorAll('.card')) {
    const fits = words.every((word) => card.dataset.words.includes(word));
    card.hidden = !fits, found += fits;
    document.querySelector(`nav a[href="#${CSS.escape(card.id)}"]`).hidden = !fits;
  }
  for (const group of document.querySelectorAll('nav dd > span')) {
    group.hidden = !group.querySelector('a:not([hidden])');
  }
  for (const topic of document.querySelectorAll('section.topic')) {
    const empty = !topic.querySelector('.card:not([hidden])');
    topic.hidden = empty;
    document.getElementById(`index-${topic.id}`).hidden = empty;
  }
  nothing.hidden = found > 0;
}
search.oninput = apply_search;
addEventListener('keydown', (e) => {
  if (e.key === '/' && document.activeElement !== search) { e.preventDefault(); search.focus(); }
  if (e.key === 'Escape' && document.activeElement === search) { search.value = ''; apply_search(); }
});
