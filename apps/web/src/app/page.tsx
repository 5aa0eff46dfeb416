import { parse } from '@kimi-tc/core';
import Link from 'next/link';
import { splitMarkers } from '../chat/split-markers.ts';
import styles from './page.module.css';

/** What a server without a parser sends. */
const specimen =
  '<think>Two cities. I look both up at once.</think>Let me check.<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"Lisbon"}<|tool_call_end|><|tool_call_begin|>functions.get_weather:1<|tool_call_argument_begin|>{"city":"Oslo"}<|tool_call_end|><|tool_calls_section_end|>';

export default function Home() {
  // Read here and now, by the package itself.
  const turn = parse(specimen, { model: 'kimi-k2-thinking' });
  return (
    <div className={styles.page}>
      <h1 className={styles.headline}>Kimi K2 as an agent, whatever serves it.</h1>
      <p className={styles.lead}>
        A model writes text. Its thoughts, its answer and its tool calls are in there, marked with special
        tokens that servers leak, strip, misplace or cut. kimi-tc reads them back.
      </p>

      <div className={styles.specimen}>
        <figure className={styles.sent}>
          <figcaption>The server sends</figcaption>
          <p className={styles.raw}>
            {splitMarkers(specimen).map(({ text, isMarker }, at) =>
              isMarker ? <mark key={`${at} ${text}`}>{text}</mark> : text,
            )}
          </p>
        </figure>
        <figure className={styles.got}>
          <figcaption>The app gets</figcaption>
          <dl className={styles.turn}>
            <dt data-kind="reasoning">reasoning</dt>
            <dd>{turn.reasoning}</dd>
            <dt>text</dt>
            <dd>{turn.content}</dd>
            {turn.toolCalls.map(({ id, name, arguments: json }) => (
              <div key={id} className={styles.call}>
                <dt data-kind="call">tool call</dt>
                <dd>
                  <code>
                    <b>{name}</b> {json}
                  </code>
                </dd>
              </div>
            ))}
            <dt>finish reason</dt>
            <dd>
              <code>{turn.finishReason.unified}</code>
            </dd>
          </dl>
        </figure>
      </div>

      <ul className={styles.pages}>
        <li>
          <Link href="/chat">
            <h2>Chat</h2>
            <p>
              An agent that calls tools, over a server that misbehaves in the way you choose. No key needed.
            </p>
          </Link>
        </li>
        <li>
          <Link href="/inspect">
            <h2>Inspect</h2>
            <p>Model text becoming events, one delta at a time, with every cut under your hand.</p>
          </Link>
        </li>
      </ul>
    </div>
  );
}
