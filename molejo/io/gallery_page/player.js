// Plays the film of one card on its canvas. Ground and bodies at rest are drawn once for each view and
// kept, unless the camera moves.
const frame_budget = 28;  // ms for a picture; slower machines get fewer pixels
let slow = false;

class Player {
  constructor(card) {
    this.card = card;
    this.canvas = card.querySelector('canvas');
    this.button = card.querySelector('.controls button');
    this.slider = card.querySelector('.controls input');
    this.label = card.querySelector('.controls output');
    this.size = [this.canvas.width, this.canvas.height];
    this.visible = false, this.playing = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.cost = 0, this.drawn = 0;
    this.listen();
  }

  // The film is unpacked when the card is first seen; pixels are only held while it is.
  set_visible(visible) {
    this.visible = visible;
    if (!visible) { this.picture = null; return; }
    if (!this.film) this.unpack();
    this.make_picture();
    this.draw();
    this.canvas.dataset.drawn = this.picture.drawn();
  }

  unpack() {
    const film = new Film(JSON.parse(this.card.querySelector('script').textContent));
    this.film = film, this.time = film.start;
    this.vertices = new Float32Array(4 * Math.max(0, ...film.meshes.map((m) => m.points.length / 3)));
    const back = add(film.camera.position, film.camera.target, -1);
    this.distance = Math.hypot(...back) || 1;
    this.azimuth = Math.atan2(back[1], back[0]);
    this.height = Math.asin(Math.max(-1, Math.min(1, back[2] / this.distance)));
    this.followed = film.camera.follow === undefined ? null : film.poses[film.camera.follow].p;
    this.set_playing(this.playing);
  }

  make_picture() {
    [this.canvas.width, this.canvas.height] = slow ? this.size.map((s) => s / 2) : this.size;
    this.picture = new Picture(this.canvas);
  }

  listen() {
    this.button.onclick = () => this.set_playing(!this.playing);
    this.slider.oninput = () => {
      this.set_playing(false);
      this.time = this.film.start + this.slider.value * (this.film.end - this.film.start);
      this.draw();
    };
    this.canvas.onpointerdown = (e) => {
      this.canvas.setPointerCapture(e.pointerId);
      this.drag = [e.clientX, e.clientY];
    };
    this.canvas.onpointermove = (e) => {
      if (!this.drag) return;
      this.azimuth -= (e.clientX - this.drag[0]) * 0.008;
      this.height += (e.clientY - this.drag[1]) * 0.008;
      this.height = Math.max(-1.5, Math.min(1.5, this.height));
      this.drag = [e.clientX, e.clientY];
      this.redraw();
    };
    this.canvas.onpointerup = this.canvas.onpointercancel = () => { this.drag = null; };
  }

  set_playing(playing) {
    this.playing = playing && this.film.end > this.film.start;
    this.button.setAttribute('aria-label', this.playing ? 'pause' : 'play');
    this.button.classList.toggle('playing', this.playing);
  }

  advance(seconds) {
    if (!this.visible || !this.playing) return;
    this.time += seconds;
    if (this.time > this.film.end + 0.8) this.time = this.film.start;  // a moment of rest, then again
    this.draw();
  }

  // from another side, or in other colours
  redraw() {
    if (!this.picture) return;
    this.picture.kept = null;
    this.draw();
  }

  draw() {
    const { film, picture } = this, shown = Math.min(this.time, film.end), begun = performance.now();
    film.seek(shown);
    this.look();
    if (!picture.kept || this.followed) {
      picture.draw_space(this, this.floors(), this.colors);
      this.draw_parts((part) => !film.moves(part) && part.color[3] >= 1);
      if (!this.followed) picture.keep();
    } else {
      picture.restore();
    }
    this.draw_parts((part) => film.moves(part) || part.color[3] < 1);
    picture.show();
    this.slider.value = film.end > film.start ? (shown - film.start) / (film.end - film.start) : 0;
    this.label.textContent = `${shown.toFixed(2)} s`;
    this.watch_cost(performance.now() - begun);
  }

  watch_cost(ms) {
    this.cost += 0.1 * (ms - this.cost);
    if (++this.drawn < 30 || slow || this.cost < frame_budget) return;
    slow = true;
    for (const player of players.values()) if (player.picture) player.make_picture();
  }

  // The camera: axes x to the right, y up, z back.
  look() {
    const { target, fov_deg, follow } = this.film.camera, c = Math.cos(this.height);
    this.z = [c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.height)];
    this.x = [-Math.sin(this.azimuth), Math.cos(this.azimuth), 0];
    this.y = cross(this.z, this.x);
    const way = this.followed ? add(this.film.poses[follow].p, this.followed, -1) : [0, 0, 0];
    this.eye = add(add(target, way), this.z, this.distance);
    this.focal = this.picture.h / 2 / Math.tan(fov_deg * Math.PI / 360);
    this.near = this.distance / 200;
    this.colors = look_now();
  }

  // Planes that are seen from above; shadows fall on the first that is level enough.
  floors() {
    const floors = this.film.planes.map((part) => {
      const { R, p } = this.film.poses[part.actor], Q = product(R, part.R);
      return { color: part.color.map((c) => c * this.colors.floor), origin: add(p, turn(R, part.p)),
        normal: [Q[2], Q[5], Q[8]], u: [Q[0], Q[3], Q[6]], v: [Q[1], Q[4], Q[7]] };
    }).filter((f) => dot(add(f.origin, this.eye, -1), f.normal) < 0);
    this.floor = floors.find((f) => f.normal[2] > 0.5);
    return floors;
  }

  draw_parts(chosen) {
    const parts = this.film.bodies.filter(chosen);
    // shadows first: what stands on the ground covers them
    for (const part of parts) {
      const floor = part.floor === undefined ? this.floor : this.floor_of(part);
      if (floor && !part.ground) this.draw_part(part, floor);
    }
    for (const part of parts) this.draw_part(part, null);
  }

  floor_of(part) {
    const { R, p } = this.film.poses[part.floor];
    return { origin: p, normal: [R[2], R[5], R[8]] };
  }

  // Its shadow on a floor, or itself.
  draw_part({ actor, ground, mesh, R: part_R, p: part_p, color }, floor) {
    const { R: A, p: a, stretch } = this.film.poses[actor];
    const R = product(A, part_R), p = add(a, turn(A, part_p)), { points, normals, indices } = mesh;
    const v = this.vertices, { x, y, z, eye, focal, near, picture } = this, shadow = floor ? this.colors.shadow : 0;
    const bright = ground ? this.colors.ground : this.colors.bodies;
    for (let i = 0, o = 0; i < points.length; i += 3, o += 4) {
      const px = points[i], py = points[i + 1], pz = points[i + 2] * stretch;
      let wx = R[0] * px + R[1] * py + R[2] * pz + p[0];
      let wy = R[3] * px + R[4] * py + R[5] * pz + p[1];
      let wz = R[6] * px + R[7] * py + R[8] * pz + p[2];
      if (floor) {
        // along the light onto the floor; nothing below it throws a shadow
        const { normal, origin } = floor;
        const above = (wx - origin[0]) * normal[0] + (wy - origin[1]) * normal[1] +
          (wz - origin[2]) * normal[2];
        const f = Math.max(0, above) / dot(light, normal);
        wx -= f * light[0], wy -= f * light[1], wz -= f * light[2];
      } else {
        const nx = normals[i], ny = normals[i + 1], nz = normals[i + 2] / stretch;
        const l = 1 / Math.sqrt(nx * nx + ny * ny + nz * nz);
        const n0 = (R[0] * nx + R[1] * ny + R[2] * nz) * l;
        const n1 = (R[3] * nx + R[4] * ny + R[5] * nz) * l;
        const n2 = (R[6] * nx + R[7] * ny + R[8] * nz) * l;
        const lit = n0 * light[0] + n1 * light[1] + n2 * light[2];
        v[o + 3] = bright * (0.62 + 0.1 * n2 + 0.38 * Math.max(0, lit));
      }
      wx -= eye[0], wy -= eye[1], wz -= eye[2];
      const depth = -(wx * z[0] + wy * z[1] + wz * z[2]);
      const scale = focal / depth;
      v[o] = picture.w / 2 + scale * (wx * x[0] + wy * x[1] + wz * x[2]);
      v[o + 1] = picture.h / 2 - scale * (wx * y[0] + wy * y[1] + wz * y[2]);
      v[o + 2] = depth > near ? 1 / depth : -1;
    }
    for (let k = 0; k < indices.length; k += 3) {
      const i0 = 4 * indices[k], i1 = 4 * indices[k + 1], i2 = 4 * indices[k + 2];
      if (v[i0 + 2] < 0 || v[i1 + 2] < 0 || v[i2 + 2] < 0) continue;
      picture.triangle(v, i0, i1, i2, color, shadow, ground ? 1 : 0);
    }
  }
}
