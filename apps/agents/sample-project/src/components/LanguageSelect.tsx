'use client';

import { isLanguage, useTranslation } from '../contexts/TranslationContext';

export function LanguageSelect() {
  const { language, setLanguage, t } = useTranslation();

  return (
    <select
      aria-label={t('language.choose')}
      value={language}
      onChange={({ target }) => {
        if (isLanguage(target.value)) setLanguage(target.value);
      }}
    >
      <option value="en">English</option>
      <option value="de">Deutsch</option>
    </select>
  );
}
