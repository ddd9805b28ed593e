export { floatableVessels } from "./tides";
