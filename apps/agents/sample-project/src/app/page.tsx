'use client';

import { useTranslation } from '../contexts/TranslationContext';

// biome-ignore lint/style/noDefaultExport: Next.js takes a page by its default export
export default function HomePage() {
  const { t } = useTranslation();

  return (
    <>
      <h1>{t('home.heading')}</h1>
      <p>{t('home.introduction')}</p>
      <a href="/recipes">{t('home.browse')}</a>
    </>
  );
}
