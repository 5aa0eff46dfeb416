import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';

interface StickyScroll {
  readonly box: RefObject<HTMLDivElement | null>;
  /** Whether the end can be seen, or is followed. */
  readonly atEnd: boolean;
  readonly onScroll: () => void;
  /** Goes to the end and follows it. */
  readonly stick: () => void;
}

/** Pixels from the end that still count as the end. */
const slack = 48;

/**
 * Follows the end of what grows, unless the reader has scrolled away from it.
 *
 * @param content what is shown; while it is empty the box shows an introduction, which begins at the top
 */
export function useStickyScroll(content: readonly unknown[]): StickyScroll {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [atEnd, setAtEnd] = useState(true);

  const measure = useCallback(() => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    return scrollHeight - clientHeight - scrollTop < slack;
  }, []);

  const onScroll = useCallback(() => {
    follows.current = measure();
    setAtEnd(follows.current);
  }, [measure]);

  const stick = useCallback(() => {
    follows.current = true;
    setAtEnd(true);
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, []);

  // Whenever what is shown has changed, and with it its height.
  useLayoutEffect(() => {
    if (follows.current && content.length > 0) stick();
  }, [content, stick]);

  return { box, atEnd, onScroll, stick };
}
