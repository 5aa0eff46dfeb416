// The smoke as a worker: answers with what passed, or with status 500 and what went wrong.
import { runSmoke } from './smoke.ts';

// biome-ignore lint/style/noDefaultExport: a worker is its default export
export default {
  async fetch(request: Request): Promise<Response> {
    try {
      return Response.json(await runSmoke(new URL(request.url).searchParams.get('baseURL') ?? ''));
    } catch (error) {
      return new Response(error instanceof Error ? error.stack : String(error), { status: 500 });
    }
  },
};
