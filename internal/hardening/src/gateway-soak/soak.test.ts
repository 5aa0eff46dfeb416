import { expect, test } from 'vitest';
import { soakGateway } from './soak.ts';

test('no stream through the gateway loses or doubles anything while its upstream does wrong', async () => {
  const report = await soakGateway({ streams: 20, seconds: 4 });
  expect(report).toMatchObject({ wrong: [], left: 0, exitCode: 0, stderr: '' });
  expect(report.whole).toBeGreaterThan(20);
  expect(report.failedOpenly).toBeGreaterThan(10);
});
