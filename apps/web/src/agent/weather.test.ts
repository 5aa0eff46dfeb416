import { expect, it } from 'vitest';
import { readWeather } from './weather.ts';

it('finds a city whatever its case and accents', () => {
  expect(readWeather(' REYKJAVIK ').city).toBe('Reykjavík');
});

it('says which cities there are', () => {
  expect(() => readWeather('Atlantis')).toThrow(/no weather for Atlantis\. There is for Cape Town, Lisbon/);
});
