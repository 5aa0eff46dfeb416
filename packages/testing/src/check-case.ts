import {
  type CorpusCase,
  checkNames,
  familyNames,
  finishWords,
  type InputKind,
  problemCodes,
} from './case.ts';
import {
  anyObject,
  anything,
  type Check,
  count,
  DataError,
  fail,
  filledText,
  flag,
  listOf,
  oneOf,
  orNull,
  shape,
  text,
  tuple,
} from './check.ts';

const tool = shape({
  type: oneOf(['function']),
  function: shape({ name: filledText, parameters: anyObject }, { description: text }),
});

const options = shape(
  {},
  {
    promptOpensThink: flag,
    recoverTextCalls: oneOf(['lenient']),
    toolChoice: oneOf(['none']),
    guidedJson: flag,
  },
);

const kind = text;

const inputs: Readonly<Record<InputKind, Check>> = {
  deltas: shape({
    kind,
    deltas: listOf(tuple(oneOf(['content', 'reasoning']), text)),
    finishReason: orNull(text),
  }),
  chunks: shape({ kind, chunks: listOf(anyObject) }),
  message: shape({ kind, choice: anyObject }),
  history: shape({ kind, messages: listOf(anyObject) }, { request: anyObject }),
  schema: schemaOrTools,
  request: shape({ kind, request: anyObject }),
};

const stringOrObject: Check = (value, at) => {
  if (typeof value !== 'string') anyObject(value, at);
};

const problems = listOf(oneOf(problemCodes));
const checks = listOf(oneOf(checkNames));

const turn = shape(
  {
    reasoning: text,
    content: text,
    toolCalls: listOf(
      shape({ index: count, name: filledText, arguments: stringOrObject }, { id: filledText }),
    ),
    finishReason: oneOf(finishWords),
  },
  {
    incompleteToolCalls: listOf(shape({}, { name: text, arguments: text })),
    problems,
    usage: anyObject,
    textCompare: oneOf(['trim']),
    checks,
  },
);

const expectations: Readonly<Record<InputKind, Check>> = {
  deltas: turn,
  chunks: turn,
  message: turn,
  history: shape({}, { messages: listOf(anyObject), problems, checks }),
  schema: shape({}, { schema: anything, problems }),
  request: shape({ request: orNull(anyObject) }, { problems }),
};

const envelope = shape(
  {
    id: slug,
    topic: slug,
    source: filledText,
    family: oneOf(familyNames),
    note: filledText,
    input: shapeOfKind,
    expected: something,
  },
  { tools: listOf(tool), options },
);

/**
 * Checks one parsed case file field by field; unknown fields are refused.
 *
 * @param value what `JSON.parse` returned
 * @param file the name for error messages
 * @throws DataError naming the file and the first field that does not fit
 */
export function checkCase(value: unknown, file: string): CorpusCase {
  try {
    envelope(value, '');
    const found = value as CorpusCase;
    expectations[found.input.kind](found.expected, 'expected');
    return found;
  } catch (error) {
    throw error instanceof DataError ? new DataError(`${file}: ${error.message}`) : error;
  }
}

/** The input names its own kind, and the kind says which fields it has. */
function shapeOfKind(value: unknown, at: string): void {
  anyObject(value, at);
  const named = (value as { kind?: unknown }).kind;
  oneOf(Object.keys(inputs))(named, `${at}.kind`);
  inputs[named as InputKind](value, at);
}

/** Something must be expected, or the case could not fail. */
function something(value: unknown, at: string): void {
  anyObject(value, at);
  if (Object.keys(value as object).length === 0) fail(at, 'at least one field', value);
}

function slug(value: unknown, at: string): void {
  if (typeof value !== 'string' || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(value)) {
    fail(at, 'lower-case words joined by hyphens', value);
  }
}

/** A schema input has one of the two, not both. */
function schemaOrTools(value: unknown, at: string): void {
  shape({ kind }, { schema: anything, tools: listOf(anyObject) })(value, at);
  if ('schema' in (value as object) === 'tools' in (value as object))
    fail(at, 'either schema or tools', value);
}
