/** What the body of an error of the OpenAI API says; clients show `message`, and some act on `code`. */
export interface ApiErrorBody {
  message: string;
  type: 'invalid_request_error' | 'authentication_error' | 'rate_limit_error' | 'server_error';
  /** The field or option that is wrong. */
  param: string | null;
  code: string | null;
}

/** An answer of the gateway itself that is no reply: thrown anywhere in a request, answered in one place. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param status 400 and above
   * @param code snake_case, told apart by clients and logs
   * @param message holds no key, no header and no text of a message
   */
  constructor(
    status: number,
    code: string,
    message: string,
    {
      param = null,
      headers = {},
    }: { param?: string | null; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
    this.headers = headers;
  }

  toBody(): { error: ApiErrorBody } {
    const { message, param, code } = this;
    return { error: { message, type: typeOf(this.status), param, code } };
  }

  toResponse(): Response {
    return Response.json(this.toBody(), { status: this.status, headers: this.headers });
  }
}

/** Whatever was thrown, as an answer. What is not ours is told by its name alone: messages may hold anything. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const name = error instanceof Error ? error.name : typeof error;
  return new ApiError(500, 'internal_error', `The gateway failed (${name}); its log says more.`);
}

function typeOf(status: number): ApiErrorBody['type'] {
  if (status === 401 || status === 403) return 'authentication_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
