// The page: makes its parts and ties them together.
import { DefaultLoadingManager } from 'three';
import { own_address, read_address, write_address } from './address';
import { Connection } from './connection';
import { by_id, el } from './dom';
import { Gallery } from './gallery';
import { notify } from './notices';
import { Plots } from './plots';
import { Inspector } from './panels/registry';
import './panels/bodies';
import './panels/forces';
import './panels/net';
import './panels/terrain';
import './panels/vibrations';
import { start_render } from './render';
import { shortcut, start_shortcuts } from './shortcuts';
import { show_speed } from './speed';
import { Studio } from './studio';
import { Timeline } from './timeline';
import { is_side, type Side } from './view/cameras';
import { Hand } from './view/hand';
import { toggle_names, type Toggle } from './view/overlays';
import { Stage } from './view/stage';

declare global {
  interface Window {
    molejo: { studio: Studio; stage: Stage };
  }
}

const sides: { side: Side; label: string; key: string }[] = [
  { side: 'side', label: 'side', key: '1' },
  { side: 'front', label: 'front', key: '2' },
  { side: 'three-quarter', label: '¾', key: '3' },
  { side: 'scene', label: 'home', key: '0' },
];

function camera_buttons(studio: Studio): void {
  const { stage } = studio;
  const follow = el('button', { 'aria-pressed': 'true', title: 'Go along with the figure (K)' }, 'follow');
  const set_following = (on: boolean): void => {
    stage.cameras.following = on;
    follow.setAttribute('aria-pressed', String(on));
  };
  const look = (side: Side): void => {
    stage.look_from(side);
    write_address({ camera: side === 'scene' ? '' : side });
  };
  follow.onclick = () => set_following(!stage.cameras.following);
  by_id('cameras').append(follow, ...sides.map(({ side, label, key }) =>
    el('button', { title: `Look from the ${label === 'home' ? 'scene’s own place' : label} (${key})`, onclick: () => look(side) }, label)));
  for (const { side, label, key } of sides) shortcut({ key, group: 'View', what: `camera: ${label}`, run: () => look(side) });
  shortcut({ key: 'k', group: 'View', what: 'camera goes along', run: () => set_following(!stage.cameras.following) });
  // a swinging pendulum is looked at from where one stands, a runner is gone along with; a camera that
  // a file gives stays where it is
  studio.on('opened', ({ kind, describe }) => set_following(describe.camera ? describe.camera.goes_along === true : kind !== 'scene'));
}

function mouse_help(): void {
  const group = 'Mouse in the view';
  for (const [label, what] of [
    ['drag', 'turn the camera'], ['right-drag', 'move the camera'], ['wheel', 'nearer, farther'], ['click', 'choose a body'],
    ['Ctrl-drag', 'pull a body with a spring'], ['Alt-click', 'push a body'], ['Alt-drag', 'push it along the arrow'],
  ]) shortcut({ key: `mouse ${label}`, label, group, what });
}

function title(studio: Studio): void {
  studio.on('opened', ({ file, describe }) => {
    const name = describe.name || file.replace(/^.*\//, '');
    by_id('title').replaceChildren(el('strong', {}, name), el('span', {}, describe.description ?? ''));
    by_id('title').title = describe.description ?? '';
    document.title = `${name} – molejo studio`;
  });
}

function command_button(studio: Studio): void {
  const copy = async (): Promise<void> => {
    const answer = await studio.act({ do: 'command_line' });
    if (!answer) return;
    const command = String(answer.command_line);
    await navigator.clipboard?.writeText(command).catch(() => undefined);
    notify(el('span', {}, 'Copied: ', el('code', {}, command)), 'info', 'command', 10);
  };
  by_id('command-button').onclick = () => void copy();
  shortcut({ key: 'y', group: 'Page', what: 'copy the command line', run: () => void copy() });
}

function start(): void {
  const connection = new Connection(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${own_address('/live')}`);
  // figures and terrains are files of the server; what they hold themselves is not
  DefaultLoadingManager.setURLModifier((url) => (url.startsWith('/') ? own_address(url) : url));
  const stage = new Stage(by_id<HTMLCanvasElement>('canvas'));
  const studio = new Studio(connection, stage);
  window.molejo = { studio, stage };
  const asked = read_address();
  document.body.classList.toggle('bare', asked.bare !== undefined);
  const hand = new Hand(studio, by_id<HTMLCanvasElement>('canvas'));
  new Timeline(studio);
  new Plots(studio);
  const gallery = new Gallery(studio);
  camera_buttons(studio);
  const inspector = new Inspector({ studio, hand }, () => write_address({ panel: inspector.current ?? 'none' }));
  mouse_help();
  start_shortcuts();
  title(studio);
  command_button(studio);
  show_speed(studio);

  const side = is_side(asked.camera) ? asked.camera : null;
  stage.cameras.next = side;
  let first = true;
  studio.on('opened', ({ file }) => {
    if (first) {
      first = false;
      if (asked.file && asked.file !== file) {
        stage.cameras.next = side;
        void studio.open(asked.file);
        return;
      }
    }
    write_address({ file });
    if (asked.panel) inspector.show(asked.panel === 'none' ? null : asked.panel);
    delete asked.panel;
  });
  studio.on('toggled', () => write_address({ show: toggle_names.filter((n) => studio.is_on(n)).join(',') }));
  for (const name of (asked.show ?? '').split(',')) {
    if (toggle_names.includes(name as Toggle)) studio.toggle(name as Toggle, true);
  }
  if (asked.render) start_render(studio, by_id<HTMLCanvasElement>('canvas'), asked.render);
  else void gallery.load();
  connection.connect();
}

start();
