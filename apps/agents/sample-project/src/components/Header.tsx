'use client';

import { useTranslation } from '../contexts/TranslationContext';
import { LanguageSelect } from './LanguageSelect';
import { ThemeToggle } from './ThemeToggle';

export function Header() {
  const { t } = useTranslation();

  return (
    <header className="header">
      <a className="header-title" href="/">
        {t('header.title')}
      </a>
      <nav aria-label={t('header.navigation')}>
        <a href="/recipes">{t('header.recipes')}</a>
        <a href="/about">{t('header.about')}</a>
      </nav>
      <LanguageSelect />
      <ThemeToggle />
    </header>
  );
}
