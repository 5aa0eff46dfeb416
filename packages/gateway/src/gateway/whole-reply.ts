import { messageOf } from '../error-message.ts';
import { isObject, type JsonObject, readObject, textOf } from '../json.ts';
import { ApiError } from './api-error.ts';
import { isJson, typeOf } from './content-type.ts';
import { renameModel } from './rename-model.ts';

/** So much of what a server says in another shape is passed on, in UTF-16 units. */
const MOST_SAID = 1000;

/** Of an error that comes with a status of success: what it says of itself, else that of a gateway. */
const NO_STATUS = 502;

/**
 * What an upstream answers in one piece, as a client gets it: the bytes of a reply, untouched unless its model has
 * another name here, or those of an error of the API. Everything else becomes an error of the API: one of another
 * shape, a page, and what comes as a success and holds no reply, as clients ask once more on a status of failure, and
 * fail on a reply without choices.
 *
 * @param headers those for the client, with the type that the upstream gave
 * @param names how the upstream is called, and the model if its name was changed
 */
export function toWhole(
  bytes: Uint8Array<ArrayBuffer>,
  status: number,
  headers: Headers,
  names: { upstream: string; name: string | undefined },
): Response {
  const text = new TextDecoder().decode(bytes);
  const body = readObject(text);
  const isSuccess = status < 400;
  if (isSuccess && Array.isArray(body?.choices) && body.choices.length > 0) {
    const renamed = names.name === undefined ? bytes : JSON.stringify(renameModel(body, names.name));
    return new Response(renamed, { status, headers });
  }
  const told = isSuccess ? (statusIn(body) ?? NO_STATUS) : status;
  if (isObject(body?.error) && textOf(body.error.message) !== '') {
    if (!isJson(typeOf(headers))) headers.set('content-type', 'application/json');
    return new Response(bytes, { status: told, headers });
  }
  const what = isSuccess ? describeReply(body) : `status ${status}`;
  const isPage = isSuccess || text.trimStart().startsWith('<');
  const said = (body ? messageOf(body) : isPage ? '' : text.trim()).slice(0, MOST_SAID);
  headers.delete('content-type');
  return new ApiError(
    told,
    textOf(body?.code) || 'upstream_error',
    `The upstream ${names.upstream} answers with ${what}${said === '' ? '.' : `: ${said}`}`,
    { param: textOf(body?.param) || null, headers: Object.fromEntries(headers) },
  ).toResponse();
}

function describeReply(body: JsonObject | undefined): string {
  if (!body) return 'what is no JSON object';
  return body.error ? 'an error' : 'a reply without choices';
}

/** The status that an error names in its `code`, as routers do (OpenRouter). */
function statusIn(body: JsonObject | undefined): number | undefined {
  const code = isObject(body?.error) ? body.error.code : undefined;
  return Number.isInteger(code) && Number(code) >= 400 && Number(code) <= 599 ? Number(code) : undefined;
}
