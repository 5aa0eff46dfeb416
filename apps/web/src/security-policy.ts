/**
 * The content security policy of every page. Nothing comes from another host, and nothing goes to one;
 * a script runs if it carries the nonce, a style sheet if it comes from here.
 *
 * Style attributes are held back too: what has to be placed at run time is set through the DOM, as React
 * does with `style`, and must not be part of the HTML that the server sends.
 *
 * @param nonce unguessable, new for each response
 * @param development React's error overlay evaluates strings, and its styles have no nonce
 */
export function createSecurityPolicy(nonce: string, development: boolean): string {
  const directives = {
    'default-src': "'none'",
    'script-src': `'self' 'nonce-${nonce}'${development ? " 'unsafe-eval'" : ''}`,
    'style-src': development ? "'self' 'unsafe-inline'" : "'self'",
    'img-src': "'self' data:",
    'font-src': "'self'",
    'connect-src': "'self'",
    'manifest-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'object-src': "'none'",
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}
