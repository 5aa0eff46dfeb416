'use client';

import { useState } from 'react';
import { type Theme, themeCookie, themes } from './theme.ts';
import styles from './theme-switch.module.css';

const labels: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
};

/** Drawn in a box of 16. */
const icons: Readonly<Record<Theme, string>> = {
  system: 'M2.5 3.5h11v7.5h-11zM6 13.5h4M8 11v2.5',
  light:
    'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6M8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M12.5 3.5l-.8.8M4.3 11.7l-.8.8',
  dark: 'M13.4 9.6A5.8 5.8 0 0 1 6.4 2.6a5.8 5.8 0 1 0 7 7z',
};

const year = 365 * 24 * 60 * 60;

export function ThemeSwitch({ initial }: { readonly initial: Theme }) {
  const [chosen, setChosen] = useState(initial);

  function choose(theme: Theme): void {
    setChosen(theme);
    document.documentElement.dataset.theme = theme;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and Safari
    document.cookie = `${themeCookie}=${theme}; path=/; max-age=${year}; samesite=strict`;
  }

  return (
    <fieldset className={styles.switch}>
      <legend className="visually-hidden">Colours</legend>
      {themes.map((theme) => (
        <label key={theme} className={styles.choice} title={labels[theme]}>
          <input
            type="radio"
            name="theme"
            className="visually-hidden"
            value={theme}
            checked={theme === chosen}
            onChange={() => choose(theme)}
          />
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d={icons[theme]} />
          </svg>
          <span className="visually-hidden">{labels[theme]}</span>
        </label>
      ))}
    </fieldset>
  );
}
