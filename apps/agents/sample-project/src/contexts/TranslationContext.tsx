'use client';

import { createContext, type ReactNode, useContext, useState } from 'react';
import de from '../locales/de.json';
import en from '../locales/en.json';

export type Language = 'en' | 'de';

interface TranslationContextValue {
  language: Language;
  setLanguage: (language: Language) => void;
  t: (key: string) => string;
}

const locales: Record<Language, Record<string, string>> = { en, de };

const TranslationContext = createContext<TranslationContextValue | undefined>(undefined);

export function isLanguage(value: string): value is Language {
  return value in locales;
}

export function TranslationProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>('en');

  const t = (key: string) => locales[language][key] ?? locales.en[key] ?? key;

  return (
    <TranslationContext.Provider value={{ language, setLanguage, t }}>{children}</TranslationContext.Provider>
  );
}

export function useTranslation(): TranslationContextValue {
  const value = useContext(TranslationContext);
  if (!value) throw new Error('useTranslation needs a TranslationProvider around it');
  return value;
}
