declare const __PACKAGE_VERSION__: string | undefined;

/** The version of this package; put in by the build. */
export const VERSION: string = typeof __PACKAGE_VERSION__ === 'undefined' ? '0.0.0' : __PACKAGE_VERSION__;
