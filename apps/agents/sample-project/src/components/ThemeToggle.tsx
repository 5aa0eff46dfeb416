'use client';

import { useTranslation } from '../contexts/TranslationContext';
import { useTheme } from '../providers/ThemeProvider';

export function ThemeToggle() {
  const { theme, toggleTheme } = useTheme();
  const { t } = useTranslation();

  return (
    <button type="button" className="theme-toggle" aria-label={t('theme.toggle')} onClick={toggleTheme}>
      {theme === 'light' ? t('theme.toDark') : t('theme.toLight')}
    </button>
  );
}
