'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import styles from './site-header.module.css';
import type { Theme } from './theme.ts';
import { ThemeSwitch } from './theme-switch.tsx';

const pages = [
  { href: '/chat', name: 'Chat' },
  { href: '/inspect', name: 'Inspect' },
];

export function SiteHeader({ theme }: { readonly theme: Theme }) {
  const path = usePathname();
  return (
    <header className={styles.header}>
      <Link href="/" className={styles.name}>
        kimi<span className={styles.mark}>‑tc</span>
      </Link>
      <nav aria-label="Pages" className={styles.pages}>
        {pages.map(({ href, name }) => (
          <Link key={href} href={href} aria-current={path === href ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <ThemeSwitch initial={theme} />
    </header>
  );
}
