import { type NextRequest, NextResponse } from 'next/server';
import { createSecurityPolicy } from './security-policy.ts';

/** Gives each response its content security policy; Next.js puts the nonce on the scripts it writes. */
export function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(crypto.randomUUID());
  const policy = createSecurityPolicy(nonce, process.env.NODE_ENV === 'development');
  const headers = new Headers(request.headers);
  headers.set('Content-Security-Policy', policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('Content-Security-Policy', policy);
  return response;
}

export const config = { matcher: '/((?!_next/static).*)' };
