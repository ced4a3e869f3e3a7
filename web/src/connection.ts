// One WebSocket to the server: requests with their answers, events, binary frames; it comes back by
// itself when the line breaks.
import { Emitter } from './emitter';
import { is_pose } from './frames';
import type { Answer, ServerEvent } from './messages';

interface ConnectionEvents {
  open: void;
  lost: void;
  event: ServerEvent;
  frame: DataView;
}

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (error: RequestError) => void;
}

export class RequestError extends Error {
  constructor(message: string, readonly column?: number) {
    super(message);
  }
}

const longest_pause = 4000; // ms between two attempts to connect

export class Connection extends Emitter<ConnectionEvents> {
  private socket: WebSocket | null = null;
  private next_id = 1;
  private pause = 250;
  private readonly waiting = new Map<number, Waiting>();
  bytes = 0; // of binary frames, since the page was loaded
  frames = 0; // of poses among them

  constructor(private readonly address: string) {
    super();
  }

  get connected(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.pause = 250;
      this.tell('open', undefined);
    };
    socket.onmessage = (message) => this.receive(message.data as string | ArrayBuffer);
    socket.onclose = () => this.lose();
    this.socket = socket;
  }

  // The answer, or a RequestError with what the server found wrong.
  ask(message: Record<string, unknown>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (!this.socket || this.socket.readyState !== WebSocket.OPEN) {
        reject(new RequestError('not connected'));
        return;
      }
      const id = this.next_id++;
      this.waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ ...message, id }));
    });
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      this.bytes += data.byteLength;
      const view = new DataView(data);
      if (is_pose(view)) this.frames += 1;
      this.tell('frame', view);
      return;
    }
    const message = JSON.parse(data) as Answer | ServerEvent;
    if ('event' in message && typeof message.event === 'string') {
      this.tell('event', message as ServerEvent);
      return;
    }
    const answer = message as Answer;
    const waiting = answer.id === undefined ? undefined : this.waiting.get(answer.id);
    if (!waiting) return;
    this.waiting.delete(answer.id!);
    if (answer.error === undefined) waiting.resolve(answer);
    else waiting.reject(new RequestError(answer.error, answer.column));
  }

  private lose(): void {
    for (const { reject } of this.waiting.values()) reject(new RequestError('connection lost'));
    this.waiting.clear();
    this.socket = null;
    this.tell('lost', undefined);
    setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(2 * this.pause, longest_pause);
  }
}
