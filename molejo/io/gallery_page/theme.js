'use strict';
// Before anything is drawn: as chosen here before, or as the system has it.
const dark_system = matchMedia('(prefers-color-scheme: dark)');

function chosen_theme() {
  try { return localStorage.getItem('molejo-theme'); } catch { return null; }
}
function set_theme() {
  document.documentElement.dataset.theme = chosen_theme() ?? (dark_system.matches ? 'dark' : 'light');
}
set_theme();
