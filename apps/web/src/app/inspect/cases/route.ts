import { loadTesting } from '../../../server/load-testing.ts';

/** The whole corpus; it is as old as the server. */
export async function GET(): Promise<Response> {
  const { loadCases } = await loadTesting();
  return Response.json(loadCases(), { headers: { 'cache-control': 'private, max-age=3600' } });
}
