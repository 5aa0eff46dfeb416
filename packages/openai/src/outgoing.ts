/** What leaves for one read of the server's, in order: bytes as they came, and text that was made here. */
export interface Outgoing {
  pass(bytes: Uint8Array): void;
  print(text: string): void;
  /** Takes it all, without a copy of the bytes that pass: what stood together leaves together. */
  take(): Uint8Array[];
}

const encoder = new TextEncoder();

export function createOutgoing(): Outgoing {
  let out: Uint8Array[] = [];
  /** What has been printed behind them. */
  let text = '';

  function endText(): void {
    if (text !== '') out.push(encoder.encode(text));
    text = '';
  }

  return {
    pass(bytes) {
      if (bytes.length === 0) return;
      endText();
      const last = out.at(-1);
      const continues = last?.buffer === bytes.buffer && last.byteOffset + last.length === bytes.byteOffset;
      if (continues) out.pop();
      out.push(continues ? new Uint8Array(last.buffer, last.byteOffset, last.length + bytes.length) : bytes);
    },
    print(more) {
      text += more;
    },
    take() {
      endText();
      const taken = out;
      out = [];
      return taken;
    },
  };
}
