type Bytes = Uint8Array<ArrayBuffer>;

/**
 * A body of which the beginning was read to look at it, as it was before.
 *
 * @param held what was read; kept until it is asked for
 * @param reader has the rest
 */
export function resumeBody(held: Bytes[], reader: ReadableStreamDefaultReader<Bytes>): ReadableStream<Bytes> {
  return new ReadableStream(
    {
      async pull(controller) {
        const value = held.shift() ?? (await reader.read()).value;
        if (value === undefined) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
