// Generated from proto/ by `make proto`: the messages of all games. Do not edit.
import * as foreign_king from "./foreign_king.mjs";
import * as openspiel from "./openspiel.mjs";
import * as rex_romanorum from "./rex_romanorum.mjs";

export const GAMES = [foreign_king, openspiel, rex_romanorum];
