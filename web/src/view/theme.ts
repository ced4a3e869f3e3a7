// Colours of the 3D view, taken from the style sheet so that light and dark are told in one place.
import { Color } from 'three';

export interface Theme {
  dark: boolean;
  background: Color;
  ground: Color;
  line: Color;
  accent: Color;
  contact: Color;
  target: Color;
  warn: Color;
  ink: Color;
}

export const dark_preferred = window.matchMedia('(prefers-color-scheme: dark)');

export function read_theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): Color => new Color(style.getPropertyValue(name).trim());
  return {
    dark: dark_preferred.matches,
    background: color('--view'),
    ground: color('--view-ground'),
    line: color('--view-line'),
    accent: color('--accent'),
    contact: color('--contact'),
    target: color('--target'),
    warn: color('--warn'),
    ink: color('--ink'),
  };
}
