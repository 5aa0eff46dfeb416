import { expect, it } from 'vitest';
import { createSecurityPolicy } from './security-policy.ts';

it('allows no inline and no foreign script', () => {
  const policy = createSecurityPolicy('abc', false);
  expect(policy).toContain("script-src 'self' 'nonce-abc';");
  expect(policy).not.toMatch(/unsafe|http|\*/);
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
});
