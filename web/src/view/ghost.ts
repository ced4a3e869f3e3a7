// A second figure of the same model, at a quarter of its opacity: the best candidate of a training.
import { Kinematics } from '../kinematics';
import type { Studio } from '../studio';
import { Figure } from './figure';

const opacity = 0.25;

export class Ghost {
  seen = 0; // frames
  private figure: Figure | null = null;
  private kinematics: Kinematics | null = null;

  constructor(private readonly studio: Studio) {
    studio.on('opened', () => this.forget());
    studio.on('reshaped', () => this.forget());
    studio.on('ghost', (coordinates) => this.show(coordinates));
  }

  private forget(): void {
    this.figure?.dispose();
    this.figure = this.kinematics = null;
    this.seen = 0;
  }

  private show(coordinates: Float32Array): void {
    const { describe, stage } = this.studio;
    if (!describe.model || coordinates.length < describe.model.coordinates) return;
    if (!this.figure) {
      this.figure = new Figure(describe.model, true, opacity);
      this.kinematics = new Kinematics(describe.model);
      stage.scene.add(this.figure.group);
    }
    this.kinematics!.update(coordinates);
    this.figure.update(this.kinematics!.poses);
    this.seen += 1;
    stage.touch();
  }
}
