// Where a person has put the nodes of a net: kept in the page, by its file and their names.
import type { Net, NetEdit, NodeId, Point } from './net_messages';

type Kept = Record<NodeId['of'], Record<string, [x: number, y: number]>>;

const key = (file: string): string => `molejo net ${file}`;
const lists = (net: Net): [NodeId['of'], (Point & { name: string })[]][] => [['place', net.places], ['transition', net.transitions]];

function read(file: string): Kept {
  try {
    const { place = {}, transition = {} } = JSON.parse(localStorage.getItem(key(file)) ?? '{}') as Partial<Kept>;
    return { place, transition };
  } catch {
    return { place: {}, transition: {} };
  }
}

function write(file: string, kept: Kept): void {
  try {
    localStorage.setItem(key(file), JSON.stringify(kept));
  } catch {
    // no room, or not allowed: then it is forgotten
  }
}

export function keep(file: string, of: NodeId['of'], name: string, { x, y }: Point): void {
  const kept = read(file);
  kept[of][name] = [x, y];
  write(file, kept);
}

export function forget(file: string): void {
  localStorage.removeItem(key(file));
}

// What the net says by now, of those that are kept.
export function refresh(file: string, net: Net): void {
  const kept = read(file);
  for (const [of, list] of lists(net)) for (const { name, x, y } of list) if (kept[of][name]) kept[of][name] = [x, y];
  write(file, kept);
}

// The moves that bring nodes to where they were put.
export function moves(file: string, net: Net): NetEdit[] {
  const kept = read(file);
  return lists(net).flatMap(([of, list]) => list.flatMap(({ name, x, y }) => {
    const to = kept[of][name];
    return to && (to[0] !== x || to[1] !== y) ? [{ op: 'move', [of]: name, x: to[0], y: to[1] }] : [];
  }));
}
