/** A message as PROTOCOL.md has it; of clashd's, or "disconnected". */
export interface Message {
  type: string;
  [field: string]: any;
}

export interface Options {
  /** ws://127.0.0.1:4718 where left out. */
  url?: string;
  /** The text of clashd.token; a function is asked at each connect, since clashd makes a new one at each start. */
  token?: string | (() => string | Promise<string>);
  /** Fields of `subscribe`: events, blades, axes, min_closing_speed, pose_rate_hz. */
  subscribe?: {
    events?: string[];
    blades?: string[];
    axes?: "openxr" | "unity" | "godot";
    min_closing_speed?: number;
    pose_rate_hz?: number;
  };
}

export class Clashd implements AsyncIterable<Message> {
  constructor(options?: Options);
  on(type: string, listener: (message: Message) => void): () => void;
  close(): void;
  [Symbol.asyncIterator](): AsyncIterableIterator<Message>;
}
