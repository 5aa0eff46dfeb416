/** The media type alone, in lower case; empty if there is none. */
export function typeOf(headers: Headers): string {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
}

export function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json');
}
