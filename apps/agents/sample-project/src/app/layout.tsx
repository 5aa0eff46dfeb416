import type { ReactNode } from 'react';
import { Header } from '../components/Header';
import { TranslationProvider } from '../contexts/TranslationContext';
import { ThemeProvider } from '../providers/ThemeProvider';
import './globals.css';

export const metadata = { title: 'Recipes' };

// biome-ignore lint/style/noDefaultExport: Next.js takes a layout by its default export
export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <body>
        <ThemeProvider>
          <TranslationProvider>
            <Header />
            <main>{children}</main>
          </TranslationProvider>
        </ThemeProvider>
      </body>
    </html>
  );
}
