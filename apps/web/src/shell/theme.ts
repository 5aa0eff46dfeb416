export const themes = ['system', 'light', 'dark'] as const;

/** Which colours are shown; `system` is what the reader's machine says. */
export type Theme = (typeof themes)[number];

/**
 * Kept in a cookie, so that the server writes the page in the right colours at once and no script has to
 * run before it is shown.
 */
export const themeCookie = 'theme';

export function readTheme(value: string | undefined): Theme {
  return themes.find((theme) => theme === value) ?? 'system';
}
