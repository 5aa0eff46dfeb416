import { type ModelFamily, type ModelProfile, resolveModel } from '../grammar/models.ts';
import { expectOption, KimiError } from '../kimi-error.ts';

/** What the chat template of a family does, and its Python wrapper. */
export interface FamilyRules {
  /** A system message of the template's own, where the conversation does not begin with one. */
  defaultSystem?: {
    /** Also for a conversation without any message. */
    whenEmpty: boolean;
    /** What follows its end token. */
    after: string;
  };
  /** How tools are declared: as TypeScript where their schemas allow it, or always as JSON. */
  tools: 'json' | 'typescript';
  /** Messages of the assistant have a think block. */
  thinkBlocks: boolean;
  /** The generation prompt opens the thought, or shows an empty one. */
  promptThinks: boolean;
  /** Whether the thoughts of finished answers stay: never, if asked for, or always, thinking being always on. */
  preserve: 'never' | 'option' | 'always';
  /** Which placeholders stand for images (and from K2.5 on, videos). */
  media: 'k2' | 'k2.5';
}

const K2_INSTRUCT: FamilyRules = {
  defaultSystem: { whenEmpty: false, after: '\n' },
  tools: 'json',
  thinkBlocks: false,
  promptThinks: false,
  preserve: 'never',
  media: 'k2',
};

const K2_5: FamilyRules = {
  tools: 'typescript',
  thinkBlocks: true,
  promptThinks: true,
  preserve: 'never',
  media: 'k2.5',
};

const FAMILIES: Partial<Record<ModelFamily, FamilyRules>> = {
  'k2-instruct': K2_INSTRUCT,
  'k2-thinking': { ...K2_INSTRUCT, defaultSystem: { whenEmpty: true, after: '' }, thinkBlocks: true },
  'k2.5': K2_5,
  'k2.6': { ...K2_5, preserve: 'option' },
  'k2.7-code': { ...K2_5, preserve: 'always' },
};

/**
 * The prompt rules of a model id, a family, or a profile.
 * @throws KimiError for a model whose prompt format is not known: a prompt in the wrong format does
 *   not fail, it makes the model worse
 */
export function findFamilyRules(model: string | ModelProfile): FamilyRules {
  const family: unknown = typeof model === 'string' ? resolveModel(model).family : model?.family;
  expectOption(typeof family === 'string', 'model', 'a model id, family or profile', model);
  if (family === 'k3') throw new KimiError('model', 'model: the prompt format of Kimi K3 is not supported');
  const rules = Object.hasOwn(FAMILIES, family as string) ? FAMILIES[family as ModelFamily] : undefined;
  const known = `a Kimi K2 model, or the family it descends from (${Object.keys(FAMILIES).join(', ')})`;
  expectOption(rules !== undefined, 'model', known, typeof model === 'string' ? model : family);
  return rules as FamilyRules;
}
