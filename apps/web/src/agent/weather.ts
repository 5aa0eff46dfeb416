/** Degrees are Celsius, rain is millimetres over the day. */
export interface Weather {
  readonly city: string;
  readonly sky: string;
  readonly low: number;
  readonly high: number;
  readonly rain: number;
}

const places: readonly Weather[] = [
  { city: 'Cape Town', sky: 'clear', low: 14, high: 25, rain: 0 },
  { city: 'Lisbon', sky: 'sun and high cloud', low: 11, high: 18, rain: 0 },
  { city: 'Nairobi', sky: 'afternoon showers', low: 14, high: 24, rain: 6 },
  { city: 'Oslo', sky: 'light snow', low: -4, high: 1, rain: 3 },
  { city: 'Reykjavík', sky: 'wind and sleet', low: -1, high: 3, rain: 8 },
  { city: 'Tokyo', sky: 'clear', low: 6, high: 14, rain: 0 },
  { city: 'Vienna', sky: 'fog, then sun', low: -1, high: 6, rain: 0 },
];

/** The cities that there is weather for. */
export const cities: readonly string[] = places.map(({ city }) => city);

/**
 * Tomorrow's weather, from a table.
 *
 * @throws Error naming the cities that there are
 */
export function readWeather(city: string): Weather {
  const found = places.find((place) => fold(place.city) === fold(city));
  if (!found) throw new Error(`There is no weather for ${city}. There is for ${cities.join(', ')}.`);
  return found;
}

/** Without case, accents and outer space. */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase();
}
