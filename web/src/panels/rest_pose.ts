// The rest pose: a joint is turned by sliders, or by dragging a body in the view (Shift-drag).
import { Quaternion, Vector3 } from 'three';
import { by_id, el, short_number } from '../dom';
import { point_in_world } from '../kinematics';
import type { Studio } from '../studio';
import { motion_of, type RestJoint } from './motion_messages';

const degree = Math.PI / 180;
const axes = ['x: to the side', 'y: bend', 'z: twist'];

function rotation(turn: number[]): Quaternion {
  const v = new Vector3(...turn).multiplyScalar(degree), angle = v.length();
  return new Quaternion().setFromAxisAngle(angle > 1e-12 ? v.divideScalar(angle) : new Vector3(1, 0, 0), angle);
}

function turn_of(q: Quaternion): number[] {
  if (q.w < 0) q.set(-q.x, -q.y, -q.z, -q.w);
  const s = Math.hypot(q.x, q.y, q.z), angle = 2 * Math.atan2(s, q.w);
  return [q.x, q.y, q.z].map((x) => (s > 1e-12 ? x / s * angle / degree : 0));
}

export class RestPose {
  readonly element = el('div', { class: 'rest-pose' });
  private readonly choice = el('select', { 'aria-label': 'Joint', onchange: () => this.show() });
  private readonly lines = el('div', {});
  private joints: RestJoint[] = [];
  private wanted: { joint: string; turn: number[] } | null = null;
  private sending = false;
  private held: { joint: RestJoint; angle: number; start: Quaternion; axis: Vector3; x: number; y: number } | null = null;

  constructor(private readonly studio: Studio) {
    this.element.append(el('label', { class: 'line' }, el('span', {}, 'joint'), this.choice,
      el('button', { title: 'As in the scene', onclick: () => this.turn([0, 0, 0]) }, 'zero')), this.lines,
      el('p', { class: 'soft' }, 'Shift-drag a body turns its joint.'));
    studio.on('opened', () => this.fill());
    studio.on('reshaped', () => this.fill());
    studio.on('selected', (body) => this.choose_body(body));
    const canvas = by_id<HTMLCanvasElement>('canvas');
    canvas.addEventListener('pointerdown', (event) => this.press(event, canvas), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => (this.held = null), { capture: true });
  }

  private fill(): void {
    this.joints = motion_of(this.studio.describe)?.rest ?? [];
    const names = this.joints.map((j) => j.joint);
    if (names.join() !== [...this.choice.options].map((o) => o.value).join()) {
      this.choice.replaceChildren(...names.map((name) => el('option', { value: name }, name.replace(/[._]/g, ' '))));
    }
    this.show();
  }

  private get joint(): RestJoint | undefined {
    return this.joints[Math.max(this.choice.selectedIndex, 0)];
  }

  private choose_body(body: number): void {
    const index = this.joints.findIndex((j) => j.body === body);
    if (index < 0) return;
    this.choice.selectedIndex = index;
    this.show();
  }

  private show(): void {
    const joint = this.joint;
    if (!joint) return;
    // sliders stay while one of them is dragged
    const inputs = [...this.lines.querySelectorAll<HTMLInputElement>('input')];
    if (this.lines.dataset.joint === joint.joint && inputs.length) {
      inputs.forEach((input) => {
        const value = joint.turn[Number(input.dataset.axis)];
        if (document.activeElement !== input && !this.wanted) input.value = input.type === 'range' ? String(value) : short_number(value);
      });
      return;
    }
    this.lines.dataset.joint = joint.joint;
    this.lines.replaceChildren(...axes.map((label, k) => {
      const slider = el('input', { type: 'range', min: -120, max: 120, step: 1, 'data-axis': k, 'aria-label': `Rest pose, ${label}` });
      const number = el('input', { type: 'number', min: -180, max: 180, step: 1, 'data-axis': k, 'aria-label': `Rest pose, ${label}` });
      const set = (value: number): void => {
        slider.value = String(value);
        number.value = short_number(value);
        const turn = [...(this.wanted?.turn ?? this.joint!.turn)];
        turn[k] = value;
        this.turn(turn);
      };
      slider.value = String(joint.turn[k]);
      number.value = short_number(joint.turn[k]);
      slider.oninput = () => set(Number(slider.value));
      number.onchange = () => set(Number(number.value));
      return el('label', { class: 'line' }, el('span', {}, label), slider, number);
    }));
  }

  private turn(turn: number[]): void {
    if (!this.joint || !turn.every(Number.isFinite)) return;
    this.wanted = { joint: this.joint.joint, turn };
    void this.pass_on();
  }

  // One message at a time; the last pose counts.
  private async pass_on(): Promise<void> {
    if (this.sending) return;
    this.sending = true;
    while (this.wanted) {
      const message = { do: 'rest', ...this.wanted };
      this.wanted = null;
      await this.studio.act(message);
    }
    this.sending = false;
    this.show();
  }

  private press(event: PointerEvent, canvas: HTMLCanvasElement): void {
    if (!event.shiftKey || event.button !== 0 || !this.joints.length) return;
    const { stage, describe } = this.studio;
    const hit = stage.figure?.pick(stage.ray(event.clientX, event.clientY));
    const joint = hit && this.joints.find((j) => j.body === hit.body);
    if (!joint) return;
    event.stopImmediatePropagation();
    canvas.setPointerCapture(event.pointerId);
    this.studio.select(joint.body);
    const at = point_in_world(stage.poses, joint.body, describe.model!.bodies[joint.body].joint.p_BM);
    const p = new Vector3(...at).project(stage.cameras.camera), box = canvas.getBoundingClientRect();
    const x = box.left + box.width * (p.x + 1) / 2, y = box.top + box.height * (1 - p.y) / 2;
    this.held = { joint, x, y, angle: Math.atan2(event.clientY - y, event.clientX - x), start: rotation(joint.turn),
                  axis: stage.cameras.camera.getWorldDirection(new Vector3()) };
  }

  // Clockwise on the screen is about the direction of view.
  private move(event: PointerEvent): void {
    if (!this.held) return;
    event.stopImmediatePropagation();
    const { x, y, angle, start, axis } = this.held;
    const by = Math.atan2(event.clientY - y, event.clientX - x) - angle;
    this.turn(turn_of(new Quaternion().setFromAxisAngle(axis, by).multiply(start)));
  }
}
