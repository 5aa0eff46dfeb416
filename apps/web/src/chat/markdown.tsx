import type { ComponentProps } from 'react';
import { type Components, type ExtraProps, Streamdown } from 'streamdown';
import styles from './markdown.module.css';

interface MarkdownProps {
  readonly text: string;
  /** More is to come: what is open is closed for show. */
  readonly growing: boolean;
}

/** The model's text. Plain elements, styled here; nothing is loaded for it from anywhere. */
export function Markdown({ text, growing }: MarkdownProps) {
  return (
    <Streamdown
      className={styles.markdown ?? ''}
      components={components}
      mode={growing ? 'streaming' : 'static'}
      controls={false}
      linkSafety={{ enabled: false }}
    >
      {text}
    </Streamdown>
  );
}

// The page has its own h1. Scrolling boxes can be reached by keyboard.
const components: Components = {
  h1: 'h2',
  h2: 'h3',
  h3: 'h4',
  h4: 'h5',
  h5: 'h6',
  h6: 'h6',
  p: 'p',
  strong: 'strong',
  ul: 'ul',
  ol: 'ol',
  li: 'li',
  blockquote: 'blockquote',
  hr: 'hr',
  sup: 'sup',
  sub: 'sub',
  section: 'section',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  th: 'th',
  td: 'td',
  code: 'code',
  pre: ({ children }: ComponentProps<'pre'> & ExtraProps) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <pre tabIndex={0}>{children}</pre>
  ),
  table: ({ children }: ComponentProps<'table'> & ExtraProps) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <div className={styles.scroll} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  a: ({ href, children }: ComponentProps<'a'> & ExtraProps) => (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  ),
  // An image would be fetched from wherever the model says.
  img: ({ src, alt }: ComponentProps<'img'> & ExtraProps) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noreferrer">
      {alt || 'Image'}
    </a>
  ),
};
