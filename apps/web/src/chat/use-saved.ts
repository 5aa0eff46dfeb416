import { useCallback, useEffect, useRef } from 'react';
import type { ChatMessage } from '../agent/chat-message.ts';

type Messages = readonly ChatMessage[];

/** Milliseconds between two copies of a reply that grows. */
const pace = 400;

/** Saves messages that have changed: now and then while they grow, at once when they do not, and at the end. */
export function useSaved(
  messages: Messages,
  initial: Messages,
  growing: boolean,
  save: (messages: Messages) => void,
): void {
  // What is not saved yet, and the timer that will do it.
  const unsaved = useRef<Messages>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const flush = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    if (unsaved.current) save(unsaved.current);
    unsaved.current = undefined;
  }, [save]);

  useEffect(() => {
    if (messages.length === 0 || messages === initial) return;
    unsaved.current = messages;
    if (growing) timer.current ??= setTimeout(flush, pace);
    else flush();
  }, [messages, initial, growing, flush]);

  useEffect(() => flush, [flush]);
}
