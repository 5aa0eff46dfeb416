import { type NextRequest, NextResponse } from 'next/server';
import { createSecurityPolicy } from './security-policy.ts';

/** Gives each page its content security policy; Next.js puts the nonce on the scripts it writes. */
export function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(crypto.randomUUID());
  const policy = createSecurityPolicy(nonce, process.env.NODE_ENV === 'development');
  const headers = new Headers(request.headers);
  headers.set('Content-Security-Policy', policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('Content-Security-Policy', policy);
  return response;
}

// The API is left out: for what is before a route, Next.js keeps a copy of the body and waits for its end, so
// that a body without one would never be refused. Its own policy stands in next.config.ts.
export const config = { matcher: '/((?!_next/static|api/).*)' };
