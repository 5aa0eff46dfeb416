'use client';

import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ChatMessage } from '../agent/chat-message.ts';
import { announce } from './announce.ts';
import { Composer } from './composer.tsx';
import styles from './conversation.module.css';
import { explainFailure } from './explain-failure.ts';
import { Message } from './message.tsx';
import { settleMessages, toWire } from './settle-messages.ts';
import { Starters } from './starters.tsx';
import { isToolPart } from './tool-part.ts';
import { useSaved } from './use-saved.ts';
import { useStickyScroll } from './use-sticky-scroll.ts';

interface ConversationProps {
  readonly id: string;
  readonly initialMessages: ChatMessage[];
  readonly server: string;
  readonly comparing: boolean;
  readonly onSave: (id: string, messages: readonly ChatMessage[]) => Promise<void>;
}

/** Milliseconds between two looks at a reply that grows. */
const showPace = 50;

export function Conversation({ id, initialMessages, server, comparing, onSave }: ConversationProps) {
  // What the transport and the cleanup need is read when they run, not when they are made.
  const latest = useRef({ server, onSave });
  useEffect(() => {
    latest.current = { server, onSave };
  });

  const [transport] = useState(
    () =>
      new DefaultChatTransport<ChatMessage>({
        api: '/api/chat',
        prepareSendMessagesRequest: ({ messages }) => ({
          body: { messages: toWire(messages), server: latest.current.server },
        }),
      }),
  );
  const chat = useChat<ChatMessage>({
    id,
    messages: initialMessages,
    transport,
    throttle: showPace,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onFinish: ({ isAbort }) => setMessages((now) => settleMessages(now, isAbort)),
  });
  const { messages, status, error, sendMessage, setMessages, regenerate, stop, addToolApprovalResponse } =
    chat;
  const composer = useRef<HTMLTextAreaElement>(null);
  const scroll = useStickyScroll(messages);

  const busy = status === 'submitted' || status === 'streaming';
  const last = messages.at(-1);
  const waitsForUser =
    last?.parts.some((part) => isToolPart(part) && part.state === 'approval-requested') ?? false;

  const save = useCallback(
    (changed: readonly ChatMessage[]) => void latest.current.onSave(id, changed),
    [id],
  );
  useSaved(messages, initialMessages, busy, save);

  useEffect(() => () => void stop(), [stop]);

  function send(text: string): void {
    scroll.stick();
    void sendMessage({ text });
  }

  function retry(): void {
    void regenerate();
    composer.current?.focus();
  }

  function decide(approvalId: string, approved: boolean): void {
    void addToolApprovalResponse({ id: approvalId, approved });
    composer.current?.focus();
  }

  return (
    <div className={styles.conversation} data-comparing={comparing} data-status={status}>
      <div ref={scroll.box} className={styles.scroll} onScroll={scroll.onScroll}>
        {messages.length === 0 ? (
          <Starters onChoose={send} />
        ) : (
          <ol className={styles.messages} aria-label="Messages">
            {messages.map((message, at) => (
              <li key={message.id} className={styles.item} data-role={message.role}>
                <Message
                  message={message}
                  comparing={comparing}
                  growing={busy && at === messages.length - 1}
                  onDecide={decide}
                />
              </li>
            ))}
            {status === 'submitted' && last?.role === 'user' && (
              <li className={styles.waiting} aria-hidden="true">
                <span />
                <span />
                <span />
              </li>
            )}
          </ol>
        )}
        {error && (
          <div className={styles.error} role="alert">
            <p>{explainFailure(error)}</p>
            <button type="button" onClick={retry}>
              Try again
            </button>
          </div>
        )}
        {!error && !busy && !waitsForUser && last?.role === 'assistant' && (
          <div className={styles.again}>
            <button type="button" onClick={retry}>
              Ask again
            </button>
          </div>
        )}
      </div>
      {!scroll.atEnd && messages.length > 0 && (
        <button type="button" className={styles.toEnd} onClick={scroll.stick}>
          To the latest
        </button>
      )}
      <p className="visually-hidden" role="status">
        {announce(messages, status)}
      </p>
      <Composer
        input={composer}
        busy={busy}
        blocked={waitsForUser}
        onSend={send}
        onStop={() => {
          void stop();
          composer.current?.focus();
        }}
      />
    </div>
  );
}
