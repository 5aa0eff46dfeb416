import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { SiteHeader } from '../shell/site-header.tsx';
import { readTheme, themeCookie } from '../shell/theme.ts';
import './globals.css';

export const metadata: Metadata = {
  title: { default: 'kimi-tc', template: '%s · kimi-tc' },
  description:
    'Kimi K2 models as agents, whatever serves them: a chat that calls tools, and a look inside the parser.',
};

export const viewport: Viewport = { colorScheme: 'light dark', width: 'device-width', initialScale: 1 };

/** Reads a cookie, which keeps every page dynamic: the nonce of the security policy needs that too. */
export default async function Layout({ children }: { readonly children: ReactNode }) {
  const theme = readTheme((await cookies()).get(themeCookie)?.value);
  return (
    <html lang="en" data-theme={theme}>
      <body>
        <a href="#main" className="skip-link">
          Skip to the content
        </a>
        <SiteHeader theme={theme} />
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </body>
    </html>
  );
}
