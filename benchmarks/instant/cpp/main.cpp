// Both programs of benchmarks/kits.py in C++: with a number, the other end of a bare stream, which answers every message
// with so many bytes; without, a bot of the kit that takes the first legal action.

#include <cstdlib>

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_callback.h>
#include <grpcpp/impl/codegen/sync_stream.h>

#include "arena_kit.hpp"

static int echo(const std::string& answer) {
  using Stream = grpc::ClientReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;
  using Factory = grpc::internal::ClientReaderWriterFactory<grpc::ByteBuffer, grpc::ByteBuffer>;
  const auto channel = grpc::CreateChannel(std::getenv("ARENA_ADDRESS"), grpc::InsecureChannelCredentials());
  const grpc::internal::RpcMethod method("/bare.Echo/Echo", grpc::internal::RpcMethod::BIDI_STREAMING, channel);
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream(Factory::Create(channel.get(), method, &context));
  const grpc::Slice slice(answer);
  grpc::ByteBuffer message;
  do stream->Write(grpc::ByteBuffer(&slice, 1));
  while (stream->Read(&message));
  return stream->Finish().ok() ? 0 : 1;
}

struct FirstBot : arena::Bot {
  arena::Answer decide(const arena::Decision& decision) override { return decision.legal_actions()[0]; }
};

int main(int count, char** arguments) {
  if (count > 1) return echo(std::string(std::atoi(arguments[1]), 'x'));
  FirstBot bot;
  return arena::run(bot);
}
