'use client';

import type { CorpusCase } from '@kimi-tc/testing';
import { useEffect, useMemo, useState } from 'react';
import { CasePicker } from './case-picker.tsx';
import { cellAt, rangeOf } from './cells.ts';
import { CutTools } from './cut-tools.tsx';
import { cutsOf } from './cuts.ts';
import { fromCase } from './from-case.ts';
import { Guide, Legend } from './guide.tsx';
import styles from './inspector.module.css';
import { MomentDetails, MomentTable } from './moment-details.tsx';
import { OptionsForm } from './options-form.tsx';
import { PasteDialog } from './paste-dialog.tsx';
import type { Delta, Reply } from './reply.ts';
import { fromFragment, toFragment } from './reply-link.ts';
import { ReplyText } from './reply-text.tsx';
import { SAMPLE, SAMPLE_NOTE } from './sample.ts';
import { Score, type Spot } from './score.tsx';
import { toCase } from './to-case.ts';
import type { Range } from './trace-reply.ts';
import { Transport } from './transport.tsx';
import { TurnView } from './turn-view.tsx';
import { type Reading, useReading } from './use-reading.ts';

/** What is looked at, and where it is from. */
interface Subject {
  reply: Reply;
  /** The deltas as they were given. */
  original: readonly Delta[];
  name: string;
  note: string;
  /** Another one for each thing that is picked, pasted or opened. */
  key: number;
}

const FIRST: Subject = {
  reply: SAMPLE,
  original: SAMPLE.deltas,
  name: 'An example',
  note: SAMPLE_NOTE,
  key: 0,
};

/** A moment of play. */
const BEAT = 650;

/** The page below its title: a reply, its cuts and options, and the picture of how it is read. */
export function Inspector() {
  const [subject, setSubject] = useState(FIRST);
  const [about, setAbout] = useState<CorpusCase>();
  const [dialog, setDialog] = useState<'case' | 'paste'>();
  const [message, setMessage] = useState('');
  const reading = useReading(subject.reply);

  useEffect(() => {
    const open = () => {
      fromFragment(location.hash.slice(1)).then(
        (reply) => {
          if (!reply) return;
          const name = 'From a link';
          setSubject(({ key }) => ({ reply, original: reply.deltas, name, note: '', key: key + 1 }));
          setAbout(undefined);
        },
        (error: Error) => setMessage(`${error.message}.`),
      );
    };
    open();
    window.addEventListener('hashchange', open);
    return () => window.removeEventListener('hashchange', open);
  }, []);

  function show(next: Omit<Subject, 'key'>): void {
    setSubject(({ key }) => ({ ...next, key: key + 1 }));
    setAbout(undefined);
    setDialog(undefined);
    setMessage('');
    // The link in the address bar is of another reply now.
    if (location.hash !== '') history.replaceState(history.state, '', location.pathname);
  }

  function pick(found: CorpusCase): void {
    const reply = fromCase(found);
    const name = `${found.topic}/${found.id}`;
    if (reply) show({ reply, original: reply.deltas, name, note: found.note });
    else {
      setAbout(found);
      setDialog(undefined);
    }
  }

  async function copyLink(): Promise<void> {
    try {
      const fragment = await toFragment(subject.reply);
      history.replaceState(history.state, '', `#${fragment}`);
      await copy(
        location.href,
        'The link is copied: it holds the whole reply, and nothing was sent anywhere.',
      );
    } catch (error) {
      setMessage(`No link: ${(error as Error).message}.`);
    }
  }

  async function copyCase(): Promise<void> {
    if (!reading) return;
    try {
      const json = JSON.stringify(toCase(reading.reply, reading.trace.turn), undefined, 2);
      await copy(json, 'The case is copied. Look over its id, note and expectation.');
    } catch (error) {
      setMessage(`No case: ${(error as Error).message}.`);
    }
  }

  async function copy(text: string, done: string): Promise<void> {
    await navigator.clipboard.writeText(text);
    setMessage(done);
  }

  return (
    <>
      <div className={styles.bar}>
        <div className={styles.subject} data-testid="subject">
          <h2>{subject.name}</h2>
          {subject.note && <p>{subject.note}</p>}
        </div>
        <div className={styles.group}>
          <button type="button" className={styles.primary} onClick={() => setDialog('case')}>
            Pick a case
          </button>
          <button type="button" onClick={() => setDialog('paste')}>
            Paste text
          </button>
          <button type="button" onClick={copyLink}>
            Copy link
          </button>
          <button type="button" onClick={copyCase} disabled={!reading}>
            Copy as case
          </button>
        </div>
      </div>
      <p role="status" className={styles.message}>
        {message}
      </p>
      {about && <RequestCase about={about} onClose={() => setAbout(undefined)} />}
      {reading ? (
        <Picture
          key={subject.key}
          reading={reading}
          subject={subject}
          onReply={(reply) => setSubject((old) => ({ ...old, reply }))}
        />
      ) : (
        <p className={styles.waiting}>Reading …</p>
      )}
      {dialog === 'case' && <CasePicker onPick={pick} onClose={() => setDialog(undefined)} />}
      {dialog === 'paste' && (
        <PasteDialog
          reply={subject.reply}
          onPaste={(reply) => show({ reply, original: reply.deltas, name: 'Pasted text', note: '' })}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}

interface RequestCaseProps {
  about: CorpusCase;
  onClose(): void;
}

/** A case about what an application sends: there is no reply to read. */
function RequestCase({ about, onClose }: RequestCaseProps) {
  return (
    <section className={styles.panel} aria-labelledby="about">
      <h2 id="about">
        {about.topic}/{about.id}
      </h2>
      <p>{about.note}</p>
      <p className={styles.soft}>
        This case is about a request ({about.input.kind}): no model text is read, so there is nothing to draw.
        What goes in, and what is sent:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section className={styles.json} tabIndex={0} aria-label="The case">
        <pre>{JSON.stringify({ input: about.input, expected: about.expected }, undefined, 2)}</pre>
      </section>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </section>
  );
}

interface PictureProps {
  reading: Reading;
  subject: Subject;
  onReply(reply: Reply): void;
}

function Picture({ reading, subject, onReply }: PictureProps) {
  const { trace, score, reply } = reading;
  const last = score.columns.length - 1;
  const [chosen, setChosen] = useState<number>();
  const [hovered, setHovered] = useState<Range>();
  const [isPlaying, setPlaying] = useState(false);
  /** Nothing: the end, whatever becomes of the reply. */
  const [wanted, setWanted] = useState<Spot>();
  const spot: Spot = wanted
    ? { ...wanted, column: Math.min(wanted.column, last) }
    : { row: 'event', column: last };
  const cuts = useMemo(() => cutsOf(reply.deltas), [reply.deltas]);

  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => {
      setWanted((old) => old && { ...old, column: Math.min(old.column + 1, last) });
    }, BEAT);
    return () => clearInterval(timer);
  }, [isPlaying, last]);
  useEffect(() => {
    if (isPlaying && spot.column === last) setPlaying(false);
  }, [isPlaying, spot.column, last]);

  function seek(next: Spot): void {
    setPlaying(false);
    setWanted({ ...next, column: Math.min(Math.max(next.column, 0), last) });
  }

  function togglePlay(): void {
    if (!isPlaying) setWanted(spot.column === last ? { ...spot, column: 0 } : spot);
    setPlaying(!isPlaying);
  }

  function cut(deltas: readonly Delta[], next?: number): void {
    setChosen(next);
    if (deltas !== reply.deltas) onReply({ ...reply, deltas });
  }

  const here = wanted ? litAt(reading, spot) : undefined;
  const readTo = useMemo(() => readUpTo(reading, spot.column), [reading, spot.column]);
  return (
    <>
      <section className={styles.input} aria-labelledby="text">
        <h2 id="text" className="visually-hidden">
          The reply, and where it is cut
        </h2>
        <ReplyText
          reading={reading}
          cuts={cuts}
          chosen={chosen}
          lit={hovered ?? here}
          readTo={readTo}
          onChoose={setChosen}
          onHover={setHovered}
          onCut={cut}
        />
        <CutTools
          deltas={reply.deltas}
          original={subject.original}
          cuts={cuts}
          chosen={chosen}
          onChoose={setChosen}
          onCut={cut}
        />
        <details className={styles.settings}>
          <summary>How it is read: options and tools</summary>
          <OptionsForm reply={reply} onChange={onReply} />
        </details>
      </section>

      <section aria-labelledby="picture">
        <h2 id="picture" className="visually-hidden">
          The picture
        </h2>
        <div className={styles.above}>
          <Transport
            column={spot.column}
            columns={score.columns.length}
            isPlaying={isPlaying}
            onSeek={(column) => seek({ ...spot, column })}
            onTogglePlay={togglePlay}
          />
          <p className={styles.keys}>
            <kbd>←</kbd> <kbd>→</kbd> time, <kbd>↑</kbd> <kbd>↓</kbd> station, <kbd>Space</kbd> play
          </p>
        </div>
        <Score
          reading={reading}
          spot={spot}
          lit={hovered ?? here}
          follows={wanted !== undefined}
          onMove={seek}
          onHover={setHovered}
          onTogglePlay={togglePlay}
        />
        <Legend />
        <Guide reading={reading} spot={spot} onMove={seek} />
      </section>

      <div className={styles.pair}>
        <MomentDetails reading={reading} spot={spot} />
        <TurnView reading={reading} column={spot.column} isOld={reply !== subject.reply} />
      </div>
      <MomentTable reading={reading} spot={spot} onMove={seek} />
      <p className="visually-hidden" role="status">
        {trace.deltas.length - 1} deltas, {trace.steps.length} lexemes, {trace.events.length} events
      </p>
    </>
  );
}

/** The text that the focused cell came of. */
function litAt(reading: Reading, { row, column }: Spot): Range | undefined {
  const ranges = cellAt(reading, row, column).items.map(({ range }) => range);
  if (ranges.length === 0) return rangeOf(reading, column);
  return {
    from: Math.min(...ranges.map(({ from }) => from)),
    to: Math.max(...ranges.map(({ to }) => to)),
  };
}

/** How far the reply had been read behind a moment. */
function readUpTo({ trace, score }: Reading, column: number): number {
  const { delta = 0, step } = score.columns[column] ?? {};
  const found = step === undefined ? undefined : trace.steps[step];
  if (!found) return trace.deltas[delta]?.to ?? 0;
  return Math.max(found.lexeme.offset + found.taken, trace.deltas[delta]?.from ?? 0);
}
