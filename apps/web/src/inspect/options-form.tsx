'use client';

import { useEffect, useId, useState } from 'react';
import styles from './inspector.module.css';
import { type Reply, type ReplyOptions, type Tool, toolsSchema } from './reply.ts';

const FINISH_REASONS = ['stop', 'tool_calls', 'length', 'content_filter'];

export interface OptionsFormProps {
  reply: Reply;
  onChange(reply: Reply): void;
}

/** How the reply is read: the parser's options, the tools, and the server's last word. */
export function OptionsForm({ reply, onChange }: OptionsFormProps) {
  const { options, finishReason } = reply;
  const set = (change: ReplyOptions) => onChange({ ...reply, options: { ...options, ...change } });
  const setLimit = (name: 'maxArgumentsLength' | 'maxToolCalls', value: string) => {
    const count = Number(value);
    const limit = Number.isInteger(count) && count > 0 ? count : undefined;
    set({ limits: { ...options.limits, [name]: limit } });
  };
  const reasons =
    finishReason && !FINISH_REASONS.includes(finishReason)
      ? [...FINISH_REASONS, finishReason]
      : FINISH_REASONS;
  return (
    <form className={styles.options} onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>Finish reason of the server</span>
        <select
          value={finishReason ?? ''}
          onChange={(event) => onChange({ ...reply, finishReason: event.currentTarget.value || null })}
        >
          <option value="">none sent</option>
          {reasons.map((reason) => (
            <option key={reason}>{reason}</option>
          ))}
        </select>
      </label>
      <label>
        <span>Calls written as plain text</span>
        <select
          value={options.recoverTextCalls ?? ''}
          onChange={(event) => {
            const mode = event.currentTarget.value;
            set({ recoverTextCalls: mode === 'off' || mode === 'lenient' ? mode : undefined });
          }}
        >
          <option value="off">off</option>
          <option value="">default</option>
          <option value="lenient">lenient</option>
        </select>
      </label>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={options.promptOpensThink ?? false}
          onChange={(event) => set({ promptOpensThink: event.currentTarget.checked || undefined })}
        />
        <span>The prompt ended in an open thought</span>
      </label>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={options.toolChoice === 'none'}
          onChange={(event) => set({ toolChoice: event.currentTarget.checked ? 'none' : undefined })}
        />
        <span>Tool choice none: calls are removed</span>
      </label>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={options.guidedJson ?? false}
          onChange={(event) => set({ guidedJson: event.currentTarget.checked || undefined })}
        />
        <span>Forced to a JSON list of calls</span>
      </label>
      <label>
        <span>Most units of arguments</span>
        <input
          type="number"
          min={1}
          placeholder="no limit"
          value={options.limits?.maxArgumentsLength ?? ''}
          onChange={(event) => setLimit('maxArgumentsLength', event.currentTarget.value)}
        />
      </label>
      <label>
        <span>Most calls</span>
        <input
          type="number"
          min={1}
          placeholder="no limit"
          value={options.limits?.maxToolCalls ?? ''}
          onChange={(event) => setLimit('maxToolCalls', event.currentTarget.value)}
        />
      </label>
      <ToolsField tools={reply.tools} onChange={(tools) => onChange({ ...reply, tools })} />
    </form>
  );
}

interface ToolsFieldProps {
  tools: readonly Tool[];
  onChange(tools: readonly Tool[]): void;
}

/** The tools of the request as JSON; what is not a list of tools is told and changes nothing. */
function ToolsField({ tools, onChange }: ToolsFieldProps) {
  const id = useId();
  const [draft, setDraft] = useState({ text: '', tools: undefined as readonly Tool[] | undefined });
  const [error, setError] = useState('');
  useEffect(() => {
    setDraft((old) =>
      old.tools === tools
        ? old
        : { tools, text: tools.length > 0 ? JSON.stringify(tools, undefined, 2) : '' },
    );
    setError('');
  }, [tools]);

  function take(text: string): void {
    const read = readTools(text);
    if (typeof read === 'string') {
      setDraft((old) => ({ ...old, text }));
      setError(read);
      return;
    }
    setDraft({ text, tools: read });
    onChange(read);
  }

  return (
    <div className={styles.wide}>
      <label htmlFor={id}>Tools of the request, as JSON; empty: unknown, so that any name is taken</label>
      <textarea
        id={id}
        rows={4}
        spellCheck={false}
        value={draft.text}
        aria-invalid={error !== ''}
        aria-describedby={`${id}-error`}
        onChange={(event) => take(event.currentTarget.value)}
      />
      <p id={`${id}-error`} className={styles.error} role="status">
        {error}
      </p>
    </div>
  );
}

/** The tools, or what is wrong with the text. */
function readTools(text: string): readonly Tool[] | string {
  if (text.trim() === '') return [];
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return 'Not JSON yet. Expected a list of tools: [{ "type": "function", "function": { "name", "parameters" } }]';
  }
  const read = toolsSchema.safeParse(json);
  if (read.success) return read.data as readonly Tool[];
  const [issue] = read.error.issues;
  return `${issue?.path.join('.') || 'The list'}: ${issue?.message}`;
}
