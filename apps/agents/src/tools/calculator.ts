import { checkKeys, readString } from './arguments.ts';
import { calculate, ExpressionError } from './expression.ts';
import { type Tool, ToolError } from './tool.ts';

/** UTF-16 units of an expression. */
const lengthLimit = 300;

export function createCalculator(): Tool {
  return {
    name: 'calculator',
    description:
      'Calculate an expression of numbers with + - * / % ^, parentheses, and abs, ceil, floor, round, sqrt, max, min.',
    parameters: {
      type: 'object',
      properties: { expression: { type: 'string', description: 'For example (3 + 4) * 2.' } },
      required: ['expression'],
    },
    async run(args) {
      checkKeys(args, ['expression']);
      const text = formatNumber(evaluate(readString(args.expression, 'expression', lengthLimit)));
      return { text, summary: text };
    },
  };
}

function evaluate(expression: string): number {
  try {
    return calculate(expression);
  } catch (error) {
    if (error instanceof ExpressionError) throw new ToolError(error.message);
    throw error;
  }
}

/** Without the last digits, where binary fractions show: 0.1 + 0.2 is 0.3. */
function formatNumber(value: number): string {
  return String(Number(value.toPrecision(15)));
}
