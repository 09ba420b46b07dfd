// The kit's side of the stream: a message comes in, and perhaps one goes out. Events and fields that it does not know
// are ignored, so that an older bot plays on a newer arena of the same major version.

#include "arena_kit.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>

#include <google/protobuf/util/json_util.h>
#include <grpcpp/grpcpp.h>

// The generated code of the service is compiled here: its headers are those above, which take seconds to read.
#include "arena/v1/play.grpc.pb.cc"

namespace arena {

namespace {

constexpr std::size_t kMostActions = 64;
constexpr int kLongestNote = 1000;  // in characters; a longer one would cost the match

std::string protocol(int major, int minor) { return std::to_string(major) + "." + std::to_string(minor); }

// Return the length in bytes of the character of UTF-8 that begins at `place`, or 0 if none does.
std::size_t character_at(const std::string& text, std::size_t place) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(place), second = byte(place + 1);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(place + i) & 0xC0) != 0x80) return 0;
  }
  const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_no_character = (first == 0xED && second > 0x9F) || first > 0xF4 || (first == 0xF4 && second > 0x8F);
  return is_overlong || is_no_character ? 0 : length;
}

// Return the first characters of a note; bytes that are no UTF-8, which would cost the match, become question marks.
std::string clean(const std::string& note) {
  std::string cleaned;
  std::size_t place = 0;
  for (int count = 0; count < kLongestNote && place < note.size(); ++count) {
    const std::size_t length = character_at(note, place);
    cleaned += length ? note.substr(place, length) : "?";
    place += std::max<std::size_t>(length, 1);
  }
  return cleaned;
}

// What one stream has told a bot so far, and what the bot answers to it. No I/O.
class Session {
 public:
  explicit Session(Bot& bot) : bot_(bot) {}

  bool has_joined() const { return has_joined_; }

  v1::PlayRequest join() {
    bot_.prepare();
    v1::PlayRequest request;
    v1::Join& join = *request.mutable_join();
    join.set_name(bot_.name());
    join.set_protocol_major(kProtocolMajor);
    join.set_protocol_minor(kProtocolMinor);
    for (const std::string& game : bot_.games()) join.add_games(game);
    return request;
  }

  // Take a message and return the answer, if it asks for one. Throws Error, and whatever the bot throws.
  std::optional<v1::PlayRequest> receive(const v1::PlayResponse& response, Time arrived) {
    if (response.has_decide()) return decide(response.decide(), arrived);
    if (response.has_joined()) joined(response.joined());
    if (response.has_match_started()) match_started(response.match_started());
    if (response.has_match_finished()) match_finished(response.match_finished());
    return std::nullopt;
  }

 private:
  void joined(const v1::Joined& joined) {
    if (joined.protocol_major() != kProtocolMajor) {
      throw Error("the arena speaks protocol " + protocol(joined.protocol_major(), joined.protocol_minor()) +
                  ", this kit " + protocol(kProtocolMajor, kProtocolMinor) + "; take the kit that came with the arena");
    }
    for (const v1::GameInfo& game : joined.games()) games_[game.name()] = std::make_shared<const v1::GameInfo>(game);
    has_joined_ = true;
  }

  void match_started(const v1::MatchStarted& started) {
    if (started.has_game_info()) {
      games_[started.game()] = std::make_shared<const v1::GameInfo>(started.game_info());
    }
    const auto game = games_.find(started.game());
    if (game == games_.end()) {
      throw Error("a match of '" + started.game() + "' started, a game the arena had not told of when we joined");
    }
    match_.emplace(started, game->second);
    bot_.match_started(*match_);
  }

  void match_finished(const v1::MatchFinished& finished) {
    if (!match_ || match_->id() != finished.match_id()) return;
    bot_.match_finished(*match_, finished);
    match_.reset();
  }

  v1::PlayRequest decide(const v1::Decide& message, Time arrived) {
    if (!match_ || match_->id() != message.match_id()) {
      throw Error("a decision of match '" + message.match_id() + "' came, which has not started");
    }
    return request(message, bot_.decide(Decision(*match_, message, arrived)));
  }

  static v1::PlayRequest request(const v1::Decide& message, const Answer& answer) {
    v1::PlayRequest request;
    if (answer.is_resignation()) {
      request.mutable_resign()->set_match_id(message.match_id());
      return request;
    }
    const std::size_t count = answer.actions().size();
    if (count < 1 || count > kMostActions) {
      throw Error("decide returned " + std::to_string(count) + " action ids; an answer has 1 to 64");
    }
    v1::Act& act = *request.mutable_act();
    act.set_match_id(message.match_id());
    act.set_ply(message.ply());
    for (const int action : answer.actions()) act.add_actions(action);
    act.set_note(clean(answer.note()));
    return request;
  }

  Bot& bot_;
  bool has_joined_ = false;
  std::map<std::string, std::shared_ptr<const v1::GameInfo>> games_;
  std::optional<Match> match_;
};

// What carries a session to the arena and back.
class Stream {
 public:
  virtual ~Stream() = default;

  // Both return false once the stream has ended.
  virtual bool write(const v1::PlayRequest& request) = 0;
  virtual bool read(v1::PlayResponse& response) = 0;

  // Throw what the end of the stream means for the bot, unless that is how an arena ends one.
  virtual void check_end(bool has_joined) = 0;
};

// Answer what comes until the stream ends.
void play(Bot& bot, Stream& stream) {
  Session session(bot);
  v1::PlayResponse response;
  bool is_open = stream.write(session.join());
  while (stream.read(response)) {
    const Time arrived = std::chrono::steady_clock::now();
    // A stream that ended while the bot was thinking is read to its end: why it ended comes last.
    if (!is_open) continue;
    if (const auto answer = session.receive(response, arrived)) is_open = stream.write(*answer);
  }
  stream.check_end(session.has_joined());
}

std::string name_of(grpc::StatusCode code) {
  static const char* const kNames[] = {
      "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
      "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
      "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"};
  return code >= 0 && code < 17 ? kNames[code] : std::to_string(code);
}

std::shared_ptr<grpc::Channel> channel_to(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // an http_proxy in the environment would catch even 127.0.0.1
  arguments.SetMaxReceiveMessageSize(-1);           // the history of a long match may be long
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

// The stream over gRPC, to the address and with the token that the arena told.
class GrpcStream : public Stream {
 public:
  GrpcStream(const std::string& address, const std::string& token)
      : address_(address), stub_(v1::PlayService::NewStub(channel_to(address))) {
    context_.AddMetadata("authorization", "Bearer " + token);
    call_ = stub_->Play(&context_);
  }
  // The arena hears at once that nobody plays any more, also after an exception.
  ~GrpcStream() override { context_.TryCancel(); }

  bool write(const v1::PlayRequest& request) override { return call_->Write(request); }
  bool read(v1::PlayResponse& response) override { return call_->Read(&response); }

  void check_end(bool has_joined) override {
    const grpc::Status status = call_->Finish();
    const grpc::StatusCode code = status.error_code();
    const bool is_stop = code == grpc::StatusCode::CANCELLED || code == grpc::StatusCode::UNAVAILABLE;
    if (status.ok() || (has_joined && is_stop)) return;
    if (code == grpc::StatusCode::UNAVAILABLE) {
      throw Error("no arena answers at " + address_ + ": " + status.error_message());
    }
    throw Error("the arena at " + address_ + " ended the stream: " + name_of(code) + ": " + status.error_message());
  }

 private:
  std::string address_;
  std::unique_ptr<v1::PlayService::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::PlayRequest, v1::PlayResponse>> call_;
};

// The stream over the socket that the arena handed over by its number: each message behind its length.
class SocketStream : public Stream {
 public:
  // Take the socket with the number in this text, such as "3". Throws Error if there is none.
  explicit SocketStream(const std::string& descriptor) : socket_(number(descriptor)) {
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(socket_, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) {
      throw Error("ARENA_STREAM_FD is " + descriptor + ", which is no open socket; a program that starts the bot must "
                  "pass the descriptor on, or unset the variable");
    }
    fcntl(socket_, F_SETFD, FD_CLOEXEC);
    fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) & ~O_NONBLOCK);
  }
  ~SocketStream() override { close(socket_); }

  bool write(const v1::PlayRequest& request) override {
    const std::size_t length = request.ByteSizeLong();
    std::string frame;
    for (std::size_t i = 0; i < kHeader; ++i) frame += static_cast<char>(length >> (8 * i));
    request.AppendToString(&frame);
    for (std::size_t sent = 0; sent < frame.size();) {
      const ssize_t count = send(socket_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
      if (count < 0 && errno != EINTR) return false;
      if (count > 0) sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  bool read(v1::PlayResponse& response) override {
    if (!fill(kHeader)) return false;
    std::size_t length = 0;
    for (std::size_t i = kHeader; i-- > 0;) length = length << 8 | static_cast<unsigned char>(received_[i]);
    if (length > kLongest) {
      throw Error("the arena sent a message of " + std::to_string(length) + " bytes; at most " +
                  std::to_string(kLongest) + " are read");
    }
    if (!fill(kHeader + length)) return false;
    if (!response.ParseFromArray(received_.data() + kHeader, static_cast<int>(length))) {
      throw Error("the arena sent bytes that are no message");
    }
    received_.erase(0, kHeader + length);
    return true;
  }

  void check_end(bool has_joined) override {
    if (!has_joined) throw Error("the arena refused the bot: it ended the stream before it had answered Join");
  }

 private:
  static constexpr std::size_t kHeader = 4;  // bytes of a length, little-endian
  static constexpr std::size_t kLongest = 64 << 20;

  static int number(const std::string& descriptor) {
    int number = -1;
    const char* const end = descriptor.data() + descriptor.size();
    const auto [rest, error] = std::from_chars(descriptor.data(), end, number);
    if (error == std::errc() && rest == end && number >= 0) return number;
    throw Error("ARENA_STREAM_FD is \"" + descriptor + "\", which is no number of a descriptor; leave the variable to "
                "the arena, or unset it");
  }

  // Wait until so many bytes are there, and return whether they came.
  bool fill(std::size_t wanted) {
    char piece[1 << 16];
    while (received_.size() < wanted) {
      const ssize_t count = recv(socket_, piece, sizeof piece, 0);
      if (count == 0 || (count < 0 && errno != EINTR)) return false;
      if (count > 0) received_.append(piece, static_cast<std::size_t>(count));
    }
    return true;
  }

  int socket_;
  std::string received_;
};

const char* environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Return the stream that the variables of the environment name, or nothing. No gRPC is begun where it is not needed.
std::unique_ptr<Stream> open_stream() {
  const std::string descriptor = environment("ARENA_STREAM_FD"), address = environment("ARENA_ADDRESS");
  if (!descriptor.empty()) return std::make_unique<SocketStream>(descriptor);
  if (!address.empty()) return std::make_unique<GrpcStream>(address, environment("ARENA_TOKEN"));
  return nullptr;
}

}  // namespace

Match::Match(v1::MatchStarted started, std::shared_ptr<const v1::GameInfo> game)
    : started_(std::move(started)), game_(std::move(game)), random_(static_cast<std::uint64_t>(started_.seed())) {}

google::protobuf::Struct Match::options() const {
  google::protobuf::Struct options;
  const std::string& text = started_.options_json();
  if (!text.empty() && !google::protobuf::util::JsonStringToMessage(text, &options).ok()) {
    throw Error("the options of the match are not a JSON object: " + text);
  }
  return options;
}

const std::string& Match::name(int action) const {
  if (action < 0 || action >= game_->actions_size()) {
    throw Error("there is no action " + std::to_string(action) + " in " + game() + "; the last one is " +
                std::to_string(game_->actions_size() - 1));
  }
  return game_->actions(action);
}

Decision::Decision(const Match& match, const v1::Decide& message, Time arrived)
    : match_(match), message_(message), arrived_(arrived) {}

std::optional<double> Decision::seconds_left() const {
  if (time_limit_us() == 0) return std::nullopt;
  const std::chrono::duration<double> used = std::chrono::steady_clock::now() - arrived_;
  return static_cast<double>(time_limit_us()) / 1e6 - used.count();
}

void Decision::read_observation(google::protobuf::Message& message) const {
  if (!message_.observation().UnpackTo(&message)) {
    throw Error("the observation is a " + message_.observation().type_url() + ", not a " +
                std::string(message.GetTypeName()));
  }
}

int run(Bot& bot) {
  try {
    if (const auto stream = open_stream()) {
      play(bot, *stream);
      return 0;
    }
    std::fputs("ARENA_ADDRESS is not set: a bot is started by the arena. Add it with `arena bot add DIRECTORY`, and "
               "play with `arena match run --game GAME --bots NAME,random`.\n", stderr);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (...) {
    std::fputs("the bot threw something that is no std::exception\n", stderr);
  }
  return 1;
}

}  // namespace arena
